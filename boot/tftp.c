#include "boot/network.h"
#include "lib/text/mem.h"

#define TRIES        4
#define TRY_S        2      /* how long a try waits for an answer */
#define TRANSFER_S   120    /* the whole transfer */
#define BLOCK_SIZE   "1428" /* bytes; fits a frame of Ethernet with a VLAN and a tunnel */
#define FILE_UNKNOWN 1      /* error code of RFC 1350 */
#define OPCODE_ERROR 5

/* EFI_MTFTP4_PROTOCOL, which GNU-EFI does not declare: UEFI 2.10 section 30.3. */
struct mtftp4_config {
    BOOLEAN use_default_setting;
    UINT8 station[4], mask[4];
    UINT16 local_port; /* 0: any */
    UINT8 gateway[4], server[4];
    UINT16 server_port; /* 0: 69 */
    UINT16 tries, seconds;
};

struct mtftp4_option {
    UINT8 *name, *value;
};

struct mtftp4_token {
    EFI_STATUS status;
    EFI_EVENT event;
    void *override;
    UINT8 *file, *mode; /* mode NULL: octet */
    UINT32 options;
    struct mtftp4_option *option;
    UINT64 size;
    void *bytes;
    void *context;
    /* Gets OACK and ERROR packets: the bytes of RFC 1350. */
    EFI_STATUS(EFIAPI *check)(void *self, struct mtftp4_token *t, UINT16 size, UINT8 *packet);
    EFI_STATUS(EFIAPI *timed_out)(void *self, struct mtftp4_token *t);
    EFI_STATUS(EFIAPI *more)(void *self, struct mtftp4_token *t, UINT16 *size, void **bytes);
};

struct mtftp4 {
    void *get_mode;
    EFI_STATUS(EFIAPI *configure)(void *self, struct mtftp4_config *config);
    void *get_info, *parse_options;
    EFI_STATUS(EFIAPI *read)(void *self, struct mtftp4_token *t);
    EFI_STATUS(EFIAPI *write)(void *self, struct mtftp4_token *t);
    void *read_directory;
    EFI_STATUS(EFIAPI *poll)(void *self);
};

/* Takes the code of an error packet. */
static EFI_STATUS EFIAPI check_packet(void *self, struct mtftp4_token *t, UINT16 size,
                                      UINT8 *packet)
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

static EFI_STATUS configure(struct service *s, const struct url *url)
{
    const struct boot_path *from = &s->b->network.from;
    const struct mtftp4 *mtftp = s->protocol;
    struct mtftp4_config c = {.tries = TRIES, .seconds = TRY_S};

    memcpy(c.station, from->address, sizeof c.station);
    memcpy(c.mask, from->mask, sizeof c.mask);
    memcpy(c.gateway, from->gateway, sizeof c.gateway);
    (void)url_ipv4(url->host, url->host_n, c.server); /* url_parse has checked it */
    return mtftp->configure(s->protocol, &c);
}

/* Transfers token->size bytes; the size then is that of the file. */
static EFI_STATUS run(struct service *s, struct mtftp4_token *token, bool put)
{
    const struct mtftp4 *mtftp = s->protocol;
    EFI_STATUS status = put ? mtftp->write(s->protocol, token) : mtftp->read(s->protocol, token);

    if (EFI_ERROR(status))
        return status;
    if (service_wait(s, mtftp->poll))
        return token->status;
    mtftp->configure(s->protocol, NULL); /* ends the transfer */
    return EFI_TIMEOUT;
}

bool tftp_transfer(struct boot *b, const struct url *url, struct transfer *t)
{
    static const EFI_GUID binding = {
        0x2fe800be, 0x8f01, 0x4aa6, {0x94, 0x6b, 0xd7, 0x13, 0x88, 0xe1, 0x83, 0x3f}};
    static const EFI_GUID guid = {
        0x78247c57, 0x63db, 0x4708, {0x99, 0xc2, 0xa8, 0xb4, 0xa9, 0xa6, 0x1f, 0x6b}};
    static struct mtftp4_option block = {(UINT8 *)"blksize", (UINT8 *)BLOCK_SIZE};
    struct service s;

    if (!service_open(&s, b, &binding, &guid, TRANSFER_S, t))
        return false;
    struct mtftp4_token token = {
        .event = s.done,
        .file = (UINT8 *)url->path + 1, /* without the slash after the host: RFC 3617 */
        .options = 1,
        .option = &block,
        .size = t->size,
        .bytes = t->bytes,
        .context = t->failure,
        .check = check_packet,
    };
    t->failure->status = configure(&s, url);
    if (EFI_ERROR(t->failure->status)) {
        (void)transfer_fails(t, "the firmware's TFTP driver cannot be configured");
    } else {
        t->failure->status = run(&s, &token, t->put);
        if (EFI_ERROR(t->failure->status))
            (void)transfer_fails(t, "the firmware's TFTP driver failed");
    }
    service_close(&s);
    t->size = token.size;
    return !EFI_ERROR(t->failure->status);
}
