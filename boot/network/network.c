#include "boot/network/network.h"

#include "lib/network/dhcp.h"
#include "lib/text/fmt.h"
#include "lib/text/mem.h"

#define PATH_NODES_MAX 64 /* a path that does not end is a firmware bug */
#define PATH_HEAD      4

void *network_protocol(const struct network *n, EFI_HANDLE handle, EFI_GUID guid)
{
    void *interface = NULL;

    if (!handle || EFI_ERROR(n->bs->OpenProtocol(handle, &guid, &interface, n->image, NULL,
                                                 EFI_OPEN_PROTOCOL_GET_PROTOCOL)))
        return NULL;
    return interface;
}

/* Returns the bytes of a path (UEFI 10.3.1). */
static size_t path_size(const EFI_DEVICE_PATH *path)
{
    const uint8_t *bytes = (const uint8_t *)path;
    size_t size = 0;

    for (int i = 0; path && i < PATH_NODES_MAX; i++) {
        size_t length = bytes[size + 2] | (size_t)bytes[size + 3] << 8;

        if (length < PATH_HEAD)
            break;
        size += length;
        if (bytes[size - length] == END_DEVICE_PATH_TYPE)
            break;
    }
    return size;
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
static void take_pxe(struct network *n)
{
    static const EFI_GUID guid = EFI_PXE_BASE_CODE_PROTOCOL_GUID;
    EFI_PXE_BASE_CODE_PROTOCOL *pxe = network_protocol(n, n->device, guid);

    if (!pxe || !pxe->Mode || !pxe->Mode->Started || pxe->Mode->UsingIpv6)
        return;
    if (!n->from.has_address)
        take_address(&n->from, pxe->Mode);
    take_folder(n, pxe->Mode);
}

void network_open(struct network *n, EFI_BOOT_SERVICES *bs, EFI_HANDLE image, EFI_HANDLE device)
{
    /* EFI_LOADED_IMAGE_DEVICE_PATH_PROTOCOL: UEFI 2.10 section 9.2. */
    static const EFI_GUID path = {
        0xbc62157e, 0x3e33, 0x4fec, {0x99, 0x20, 0x2d, 0x3b, 0x36, 0xd7, 0x50, 0xdf}};
    static const EFI_GUID volume = SIMPLE_FILE_SYSTEM_PROTOCOL;
    const uint8_t *mac = n->from.mac;

    *n = (struct network){.bs = bs, .image = image, .device = device};
    n->path = network_protocol(n, image, path);
    boot_path_decode(&n->from, (const uint8_t *)n->path, path_size(n->path));
    if (!n->from.has_mac)
        return;
    n->from_loader = network_protocol(n, device, volume) != NULL;
    fmt_buf(n->mac, sizeof n->mac, "%02x-%02x-%02x-%02x-%02x-%02x", mac[0], mac[1], mac[2], mac[3],
            mac[4], mac[5]);
    (void)boot_path_folder(n->folder, sizeof n->folder, n->from.uri);
    take_pxe(n);
}
