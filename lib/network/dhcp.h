/* Which file a DHCP server named for the start, on which server, and the gateway. Source: RFC 2131
 * section 2 (the message), RFC 2132 sections 3.5, 9.4, 9.5 and 9.7 (options 3, 66, 67 and 54). */
#ifndef LIB_NETWORK_DHCP_H
#define LIB_NETWORK_DHCP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DHCP_FILE_MOST 256 /* bytes, including the NUL */

struct dhcp_boot {
    uint8_t server[4];
    char file[DHCP_FILE_MOST];
};

/* Decodes the n bytes of an answer. False: it names no server or no file. */
bool dhcp_boot_decode(struct dhcp_boot *boot, const uint8_t *packet, size_t n);
/* False: it names no gateway. */
bool dhcp_gateway(uint8_t gateway[4], const uint8_t *packet, size_t n);

#endif
