#include "boot/network/tftp.h"

#include "boot/network/protocols.h"
#include "boot/network/service.h"
#include "lib/text/mem.h"

#define TRIES        4
#define TRY_S        2      /* how long a try waits for an answer */
#define TRANSFER_S   120    /* the whole transfer */
#define BLOCK_SIZE   "1428" /* bytes; fits a frame of Ethernet with a VLAN and a tunnel */
#define FILE_UNKNOWN 1      /* error code of RFC 1350 */
#define OPCODE_ERROR 5

/* Takes the code of an error packet. */
static EFI_STATUS EFIAPI check(void *self, struct mtftp4_token *t, UINT16 size, UINT8 *packet)
{
    struct network_failure *f = t->context;

    (void)self;
    if (size >= 4 && packet[0] == 0 && packet[1] == OPCODE_ERROR) {
        f->what = "the server answered with a TFTP error";
        f->code = (unsigned)packet[2] << 8 | packet[3];
        f->missing = f->code == FILE_UNKNOWN;
    }
    return EFI_SUCCESS;
}

static bool configure(struct service *s, const struct url *url, struct network_failure *f)
{
    const struct boot_path *from = &s->n->from;
    const struct mtftp4 *mtftp = s->protocol;
    struct mtftp4_config c = {.tries = TRIES, .seconds = TRY_S};

    memcpy(c.station, from->address, sizeof c.station);
    memcpy(c.mask, from->mask, sizeof c.mask);
    memcpy(c.gateway, from->gateway, sizeof c.gateway);
    (void)url_ipv4(url->host, url->host_n, c.server); /* url_parse has checked it */
    f->status = mtftp->configure(s->protocol, &c);
    if (!EFI_ERROR(f->status))
        return true;
    f->what = "the firmware's TFTP driver cannot be configured";
    return false;
}

/* Transfers t->size bytes; the size then is that of the file. */
static bool transfer(struct network *n, const struct url *url, struct mtftp4_token *t, bool writes,
                     struct network_failure *f)
{
    static const EFI_GUID binding = {
        0x2fe800be, 0x8f01, 0x4aa6, {0x94, 0x6b, 0xd7, 0x13, 0x88, 0xe1, 0x83, 0x3f}};
    static const EFI_GUID guid = {
        0x78247c57, 0x63db, 0x4708, {0x99, 0xc2, 0xa8, 0xb4, 0xa9, 0xa6, 0x1f, 0x6b}};
    static struct mtftp4_option block = {(UINT8 *)"blksize", (UINT8 *)BLOCK_SIZE};
    struct service s;
    struct mtftp4 *mtftp;

    if (!service_open(&s, n, binding, guid, TRANSFER_S, f))
        return false;
    mtftp = s.protocol;
    if (!configure(&s, url, f)) {
        service_close(&s);
        return false;
    }
    t->event = s.done;
    t->file = (UINT8 *)url->path + 1; /* without the slash after the host: RFC 3617 */
    t->options = 1;
    t->option = &block;
    t->context = f;
    t->check = check;
    f->status = writes ? mtftp->write(s.protocol, t) : mtftp->read(s.protocol, t);
    if (!EFI_ERROR(f->status)) {
        bool ended = service_wait(&s, mtftp->poll);

        if (!ended)
            mtftp->configure(s.protocol, NULL); /* ends the transfer */
        f->status = ended ? t->status : EFI_TIMEOUT;
    }
    service_close(&s);
    if (EFI_ERROR(f->status) && !f->what)
        f->what = "the firmware's TFTP driver failed";
    return !EFI_ERROR(f->status);
}

bool tftp_get(struct network *n, const struct url *url, void *bytes, size_t room, size_t *size,
              struct network_failure *f)
{
    struct mtftp4_token t = {.bytes = bytes, .size = room};

    if (!transfer(n, url, &t, false, f))
        return false;
    *size = t.size;
    return true;
}

bool tftp_put(struct network *n, const struct url *url, const void *bytes, size_t size,
              struct network_failure *f)
{
    struct mtftp4_token t = {.bytes = (void *)bytes, .size = size};

    return transfer(n, url, &t, true, f);
}
