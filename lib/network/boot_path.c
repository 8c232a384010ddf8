#include "lib/network/boot_path.h"

#include "lib/text/bytes.h"
#include "lib/text/mem.h"
#include "lib/text/str.h"

#define HEAD      4 /* type, subtype, length */
#define MESSAGING 3
#define END       0x7f
/* Subtypes of MESSAGING. */
#define MAC  11
#define IPV4 12
#define URI  24
/* Offsets in an IPv4 node; nodes of UEFI before 2.3.1 end before the mask. */
#define IPV4_ADDRESS 4
#define IPV4_GATEWAY 19
#define IPV4_MASK    23

static void take(struct boot_path *p, const uint8_t *node, size_t length)
{
    if (node[1] == MAC && length >= HEAD + sizeof p->mac) {
        p->has_mac = true;
        memcpy(p->mac, node + HEAD, sizeof p->mac);
    } else if (node[1] == IPV4 && length >= IPV4_MASK + sizeof p->mask) {
        memcpy(p->address, node + IPV4_ADDRESS, sizeof p->address);
        memcpy(p->gateway, node + IPV4_GATEWAY, sizeof p->gateway);
        memcpy(p->mask, node + IPV4_MASK, sizeof p->mask);
        p->has_address = le32(p->address) != 0 && le32(p->mask) != 0;
    } else if (node[1] == URI &&
               !str_copy(p->uri, sizeof p->uri, (const char *)node + HEAD, length - HEAD)) {
        p->uri[0] = '\0';
    }
}

void boot_path_decode(struct boot_path *p, const uint8_t *bytes, size_t n)
{
    memset(p, 0, sizeof *p);
    while (n >= HEAD) {
        size_t length = le16(bytes + 2);

        if (length < HEAD || length > n || bytes[0] == END)
            return;
        if (bytes[0] == MESSAGING)
            take(p, bytes, length);
        bytes += length;
        n -= length;
    }
}

bool boot_path_is_far(const struct boot_path *p, const uint8_t address[4])
{
    return ((le32(p->address) ^ le32(address)) & le32(p->mask)) != 0;
}

bool boot_path_folder(char *folder, size_t size, const char *file)
{
    size_t n = strlen(file);

    while (n > 0 && file[n - 1] != '/' && file[n - 1] != '\\')
        n--;
    return str_copy(folder, size, file, n);
}
