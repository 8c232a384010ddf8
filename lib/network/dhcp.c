#include "lib/network/dhcp.h"

#include "lib/network/url.h"
#include "lib/text/bytes.h"
#include "lib/text/mem.h"
#include "lib/text/str.h"

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
#define END         255

/* Returns an option's bytes, or NULL. */
static const uint8_t *option(const uint8_t *packet, size_t n, uint8_t wanted, size_t *size)
{
    for (size_t at = OPTIONS; at < n && packet[at] != END;) {
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
