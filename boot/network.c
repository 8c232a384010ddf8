/* The network that the program was loaded from, and files on its servers. */
#include "boot/boot.h"
#include "lib/firmware/boot_source.h"
#include "lib/text/fmt.h"
#include "lib/text/mem.h"

#define TICKS_A_SECOND 10000000ull /* of SetTimer: 100 ns */

/* Returns the bytes of a path (UEFI 10.3.1). */
static size_t path_size(const EFI_DEVICE_PATH *path)
{
    const uint8_t *at = (const uint8_t *)path;
    size_t length = 1;

    for (int i = 0; path && length > 0 && i < PATH_NODES_MAX; i++, at += length) {
        length = boot_path_node((const EFI_DEVICE_PATH *)(const void *)at);
        if (*at == END_DEVICE_PATH_TYPE)
            return (size_t)(at + length - (const uint8_t *)path);
    }
    return (size_t)(at - (const uint8_t *)path);
}

/* Takes the folder of the boot file from the last answer of the DHCP or PXE servers that names one,
 * unless the device path has it. */
static void take_folder(struct network *n, EFI_PXE_BASE_CODE_MODE *mode)
{
    const struct {
        bool valid;
        EFI_PXE_BASE_CODE_PACKET *packet;
    } answers[] = {
        {mode->PxeReplyReceived, &mode->PxeReply},
        {mode->ProxyOfferReceived, &mode->ProxyOffer},
        {mode->DhcpAckReceived, &mode->DhcpAck},
    };
    char folder[DHCP_FILE_MOST];
    struct dhcp_boot boot;

    for (unsigned i = 0; i < sizeof answers / sizeof answers[0] && !n->folder[0]; i++) {
        if (answers[i].valid &&
            dhcp_boot_decode(&boot, answers[i].packet->Raw, sizeof answers[i].packet->Raw) &&
            boot_path_folder(folder, sizeof folder, boot.file))
            fmt_buf(n->folder, sizeof n->folder, "tftp://%u.%u.%u.%u/%s", boot.server[0],
                    boot.server[1], boot.server[2], boot.server[3], folder);
    }
}

static void take_address(struct boot_path *from, EFI_PXE_BASE_CODE_MODE *mode)
{
    from->has_address = true;
    memcpy(from->address, mode->StationIp.v4.Addr, sizeof from->address);
    memcpy(from->mask, mode->SubnetMask.v4.Addr, sizeof from->mask);
    if (mode->DhcpAckReceived)
        (void)dhcp_gateway(from->gateway, mode->DhcpAck.Raw, sizeof mode->DhcpAck.Raw);
}

/* What PXE knows, if it started the program over IPv4. */
static void take_pxe(struct boot *b)
{
    static const EFI_GUID guid = EFI_PXE_BASE_CODE_PROTOCOL_GUID;
    EFI_PXE_BASE_CODE_PROTOCOL *pxe = boot_protocol(b, b->loaded->DeviceHandle, &guid);

    if (!pxe || !pxe->Mode || !pxe->Mode->Started || pxe->Mode->UsingIpv6)
        return;
    if (!b->network.from.has_address)
        take_address(&b->network.from, pxe->Mode);
    take_folder(&b->network, pxe->Mode);
}

void network_open(struct boot *b)
{
    /* EFI_LOADED_IMAGE_DEVICE_PATH_PROTOCOL: UEFI 2.10 section 9.2. */
    static const EFI_GUID path = {
        0xbc62157e, 0x3e33, 0x4fec, {0x99, 0x20, 0x2d, 0x3b, 0x36, 0xd7, 0x50, 0xdf}};
    static const EFI_GUID volume = SIMPLE_FILE_SYSTEM_PROTOCOL;
    struct network *n = &b->network;
    const uint8_t *mac = n->from.mac;

    n->path = boot_protocol(b, b->image, &path);
    boot_path_decode(&n->from, (const uint8_t *)n->path, path_size(n->path));
    if (!n->from.has_mac)
        return;
    fmt_buf(n->mac, sizeof n->mac, "%02x-%02x-%02x-%02x-%02x-%02x", mac[0], mac[1], mac[2], mac[3],
            mac[4], mac[5]);
    (void)boot_path_folder(n->folder, sizeof n->folder, n->from.uri);
    if (!b->loaded)
        return;
    n->from_loader = boot_protocol(b, b->loaded->DeviceHandle, &volume) != NULL;
    take_pxe(b);
}

/* --- a driver --------------------------------------------------------------------------------- */

/* Finds the driver on the device, at the longest part of the program's path that has it. */
static EFI_SERVICE_BINDING *find_driver(const struct boot *b, const EFI_GUID *guid)
{
    EFI_DEVICE_PATH *path = b->network.path;
    EFI_GUID copy = *guid;
    EFI_HANDLE handle;

    if (EFI_ERROR(b->bs->LocateDevicePath(&copy, &path, &handle)))
        return NULL;
    return boot_protocol(b, handle, guid);
}

/* Starts the network device of a loader such as iPXE, if the firmware's drivers on it did not: iPXE
 * that uses the firmware's own device sends their packets then, but gives them none. Source: UEFI
 * 2.10 section 24.1. */
static void start_device(const struct boot *b)
{
    static const EFI_GUID guid = EFI_SIMPLE_NETWORK_PROTOCOL_GUID;
    EFI_SIMPLE_NETWORK *device =
        b->network.from_loader ? boot_protocol(b, b->loaded->DeviceHandle, &guid) : NULL;

    if (!device)
        return;
    if (device->Mode->State == EfiSimpleNetworkStopped)
        device->Start(device);
    if (device->Mode->State == EfiSimpleNetworkStarted)
        device->Initialize(device, 0, 0);
}

static bool open_events(struct service *s, unsigned seconds)
{
    EFI_BOOT_SERVICES *bs = s->b->bs;

    return !EFI_ERROR(bs->CreateEvent(0, 0, NULL, NULL, &s->done)) &&
           !EFI_ERROR(bs->CreateEvent(EVT_TIMER, 0, NULL, NULL, &s->timer)) &&
           !EFI_ERROR(bs->SetTimer(s->timer, TimerRelative, seconds * TICKS_A_SECOND));
}

static bool open_child(struct service *s, const EFI_GUID *protocol)
{
    if (EFI_ERROR(s->binding->CreateChild(s->binding, &s->child))) {
        s->child = NULL;
        return false;
    }
    s->protocol = boot_protocol(s->b, s->child, protocol);
    return s->protocol != NULL;
}

bool service_open(struct service *s, struct boot *b, const EFI_GUID *binding,
                  const EFI_GUID *protocol, unsigned seconds, struct transfer *t)
{
    *s = (struct service){.b = b};
    if (!b->network.path || !b->network.from.has_address)
        return transfer_fails(t, "the program was not loaded from a network over IPv4");
    s->binding = find_driver(b, binding);
    if (!s->binding) { /* a loader such as iPXE has its own drivers: start the firmware's on it */
        b->bs->ConnectController(b->loaded->DeviceHandle, NULL, NULL, TRUE);
        s->binding = find_driver(b, binding);
    }
    if (!s->binding)
        return transfer_fails(t,
                              "the firmware has no driver for this protocol on the network device");
    start_device(b);
    if (open_events(s, seconds) && open_child(s, protocol))
        return true;
    service_close(s);
    return transfer_fails(t, "the firmware's driver for this protocol cannot be opened");
}

void service_close(struct service *s)
{
    EFI_BOOT_SERVICES *bs = s->b->bs;

    if (s->child)
        s->binding->DestroyChild(s->binding, s->child);
    if (s->timer)
        bs->CloseEvent(s->timer);
    if (s->done)
        bs->CloseEvent(s->done);
}

bool service_wait(struct service *s, service_poll poll)
{
    EFI_BOOT_SERVICES *bs = s->b->bs;

    while (bs->CheckEvent(s->done) == EFI_NOT_READY) {
        if (bs->CheckEvent(s->timer) == EFI_SUCCESS)
            return false;
        poll(s->protocol);
    }
    return true;
}

/* --- TFTP, by the firmware's MTFTP driver: UEFI 2.10 section 30.3, RFC 1350, RFC 2348 (the size of
 * a block) --- */

#define TRIES        4
#define TRY_S        2      /* how long a try waits for an answer */
#define TFTP_S       120    /* the whole transfer */
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

static EFI_STATUS configure_tftp(struct service *s, const struct url *url)
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
static EFI_STATUS run_tftp(struct service *s, struct mtftp4_token *token, bool put)
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

static bool tftp_transfer(struct boot *b, const struct url *url, struct transfer *t)
{
    static const EFI_GUID binding = {
        0x2fe800be, 0x8f01, 0x4aa6, {0x94, 0x6b, 0xd7, 0x13, 0x88, 0xe1, 0x83, 0x3f}};
    static const EFI_GUID guid = {
        0x78247c57, 0x63db, 0x4708, {0x99, 0xc2, 0xa8, 0xb4, 0xa9, 0xa6, 0x1f, 0x6b}};
    static struct mtftp4_option block = {(UINT8 *)"blksize", (UINT8 *)BLOCK_SIZE};
    struct service s;

    if (!service_open(&s, b, &binding, &guid, TFTP_S, t))
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
    t->failure->status = configure_tftp(&s, url);
    if (EFI_ERROR(t->failure->status)) {
        (void)transfer_fails(t, "the firmware's TFTP driver cannot be configured");
    } else {
        t->failure->status = run_tftp(&s, &token, t->put);
        if (EFI_ERROR(t->failure->status))
            (void)transfer_fails(t, "the firmware's TFTP driver failed");
    }
    service_close(&s);
    t->size = token.size;
    return !EFI_ERROR(t->failure->status);
}

/* --- files ------------------------------------------------------------------------------------ */

static bool transfer(struct boot *b, struct transfer *t)
{
    struct url url;

    *t->failure = (struct network_failure){0};
    if (!url_parse(&url, t->file->url))
        return transfer_fails(t, "not a URL of http, https or tftp");
    return url.scheme == URL_TFTP ? tftp_transfer(b, &url, t) : http_transfer(b, &url, t);
}

bool network_get(struct boot *b, const struct network_file *file, void *bytes, size_t room,
                 size_t *size, struct network_failure *f)
{
    struct transfer t = {file, false, bytes, room, f};
    bool got = transfer(b, &t);

    *size = got ? t.size : 0;
    return got;
}

bool network_put(struct boot *b, const struct network_file *file, const void *bytes, size_t size,
                 struct network_failure *f)
{
    struct transfer t = {file, true, (void *)bytes, size, f};

    return transfer(b, &t);
}

void network_explain(struct sink *out, const struct network_failure *f)
{
    fmt(out, "%s", f->what);
    if (f->code)
        fmt(out, ": %u", f->code);
    else if (EFI_ERROR(f->status)) {
        fmt(out, ": ");
        boot_status(out, f->status);
    }
    if (f->hint)
        fmt(out, "; %s", f->hint);
}
