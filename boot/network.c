/* The network that the program was loaded from, and files on its servers. */
#include "boot/network.h"
#include "lib/firmware/netboot.h"
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

/* --- files ------------------------------------------------------------------------------------ */

bool transfer_fails(struct transfer *t, const char *what)
{
    if (!t->failure->what)
        t->failure->what = what;
    return false;
}

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
