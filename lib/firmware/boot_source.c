#include "lib/firmware/boot_source.h"
#include "lib/text/mem.h"
#include "lib/text/str.h"

/* --- the boot entry -------------------------------------------------------------------------- */

#define ENTRY_HEAD 6 /* attributes, length of the device path */

struct entry {
    const uint8_t *description; /* UTF-16LE without its NUL */
    size_t characters;          /* of the description */
    const uint8_t *data;        /* load options */
    size_t size;                /* of data, bytes */
};

/* False: the n bytes are not an entry. */
static bool decode(struct entry *entry, const uint8_t *bytes, size_t n)
{
    size_t at = ENTRY_HEAD, path;

    if (n < ENTRY_HEAD)
        return false;
    while (at + 2 <= n && le16(bytes + at) != 0)
        at += 2;
    if (at + 2 > n)
        return false;
    path = le16(bytes + 4);
    entry->description = bytes + ENTRY_HEAD;
    entry->characters = (at - ENTRY_HEAD) / 2;
    at += 2;
    if (path > n - at)
        return false;
    entry->data = bytes + at + path;
    entry->size = n - at - path;
    return true;
}

static bool has_description(const struct entry *entry, const char *description)
{
    for (size_t i = 0; i < entry->characters; i++)
        if (description[i] == '\0' || le16(entry->description + 2 * i) != (uint8_t)description[i])
            return false;
    return description[entry->characters] == '\0';
}

static void drop_path(struct entry *entry)
{
    size_t at = 0;

    if (entry->size < 2 || le16(entry->data) != '\\')
        return;
    while (at + 2 <= entry->size && le16(entry->data + at) != ' ')
        at += 2;
    if (at + 2 > entry->size)
        return;
    entry->data += at + 2;
    entry->size -= at + 2;
}

bool boot_entry_started(const uint8_t *bytes, size_t n, const char *description,
                        const void *options, size_t size)
{
    struct entry entry;

    if (!decode(&entry, bytes, n) || !has_description(&entry, description))
        return false;
    drop_path(&entry);
    return entry.size > 0 && entry.size <= size && memcmp(entry.data, options, entry.size) == 0;
}

size_t boot_order_remove(uint8_t *order, size_t n, uint16_t number)
{
    size_t left = 0;

    for (size_t at = 0; at + 2 <= n; at += 2)
        if (le16(order + at) != number) {
            order[left] = order[at];
            order[left + 1] = order[at + 1];
            left += 2;
        }
    return left;
}

/* --- the path of a program from a network ---------------------------------------------------- */

#define NODE_HEAD 4 /* type, subtype, length */
#define MESSAGING 3
#define PATH_END  0x7f
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
    if (node[1] == MAC && length >= NODE_HEAD + sizeof p->mac) {
        p->has_mac = true;
        memcpy(p->mac, node + NODE_HEAD, sizeof p->mac);
    } else if (node[1] == IPV4 && length >= IPV4_MASK + sizeof p->mask) {
        memcpy(p->address, node + IPV4_ADDRESS, sizeof p->address);
        memcpy(p->gateway, node + IPV4_GATEWAY, sizeof p->gateway);
        memcpy(p->mask, node + IPV4_MASK, sizeof p->mask);
        p->has_address = le32(p->address) != 0 && le32(p->mask) != 0;
    } else if (node[1] == URI && !str_copy(p->uri, sizeof p->uri, (const char *)node + NODE_HEAD,
                                           length - NODE_HEAD)) {
        p->uri[0] = '\0';
    }
}

void boot_path_decode(struct boot_path *p, const uint8_t *bytes, size_t n)
{
    memset(p, 0, sizeof *p);
    while (n >= NODE_HEAD) {
        size_t length = le16(bytes + 2);

        if (length < NODE_HEAD || length > n || bytes[0] == PATH_END)
            return;
        if (bytes[0] == MESSAGING)
            take(p, bytes, length);
        bytes += length;
        n -= length;
    }
}

bool boot_path_folder(char *folder, size_t size, const char *file)
{
    size_t n = strlen(file);

    while (n > 0 && file[n - 1] != '/' && file[n - 1] != '\\')
        n--;
    return str_copy(folder, size, file, n);
}

/* --- DHCP ------------------------------------------------------------------------------------ */

/* Offsets in the message. */
#define NEXT_SERVER 20
#define FILE_NAME   108
#define OPTIONS     240
/* Sizes. */
#define FILE_NAME_SIZE 128
/* Options. */
#define PAD         0
#define ROUTERS     3
#define SERVER_ID   54
#define SERVER_NAME 66
#define BOOT_FILE   67
#define OPTIONS_END 255

/* Returns an option's bytes, or NULL. */
static const uint8_t *option(const uint8_t *packet, size_t n, uint8_t wanted, size_t *size)
{
    for (size_t at = OPTIONS; at < n && packet[at] != OPTIONS_END;) {
        if (packet[at] == PAD) {
            at++;
            continue;
        }
        if (at + 2 > n || packet[at + 1] > n - at - 2)
            return NULL;
        *size = packet[at + 1];
        if (packet[at] == wanted)
            return packet + at + 2;
        at += 2 + *size;
    }
    return NULL;
}

static bool find_server(struct dhcp_boot *boot, const uint8_t *packet, size_t n)
{
    size_t size;
    const uint8_t *found;

    memcpy(boot->server, packet + NEXT_SERVER, sizeof boot->server);
    if (le32(boot->server) != 0)
        return true;
    found = option(packet, n, SERVER_NAME, &size);
    if (found && url_ipv4((const char *)found, size, boot->server))
        return true;
    found = option(packet, n, SERVER_ID, &size);
    if (!found || size != sizeof boot->server)
        return false;
    memcpy(boot->server, found, sizeof boot->server);
    return true;
}

bool dhcp_boot_decode(struct dhcp_boot *boot, const uint8_t *packet, size_t n)
{
    size_t size = FILE_NAME_SIZE;
    const uint8_t *name;

    if (n < OPTIONS || !find_server(boot, packet, n))
        return false;
    name = option(packet, n, BOOT_FILE, &size);
    if (!name) {
        name = packet + FILE_NAME;
        size = FILE_NAME_SIZE;
    }
    return str_copy(boot->file, sizeof boot->file, (const char *)name, size) && boot->file[0];
}

bool dhcp_gateway(uint8_t gateway[4], const uint8_t *packet, size_t n)
{
    size_t size;
    const uint8_t *found = option(packet, n, ROUTERS, &size);

    if (!found || size < 4)
        return false;
    memcpy(gateway, found, 4); /* the first is preferred */
    return true;
}
