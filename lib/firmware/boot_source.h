/*
 * Where the firmware loaded the program from: the boot entry that started it; what the device path
 * of a program from a network says, and which file the network's DHCP server named.
 */
#ifndef LIB_FIRMWARE_BOOT_SOURCE_H
#define LIB_FIRMWARE_BOOT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/text/bytes.h"
#include "lib/text/url.h"

/*
 * Returns whether a boot entry, the n bytes of a variable Boot####, has this description of ASCII
 * characters and started a program with these `size` bytes of load options: they begin with those
 * of the entry, of which there must be some, and firmware may pass more bytes. A first word of the
 * entry's that is a path beginning with "\" is left out, with its blank: shim starts the program of
 * that name and passes it the rest. Source: UEFI 2.10 sections 3.1.3 (EFI_LOAD_OPTION) and 3.3
 * (BootOrder).
 */
bool boot_entry_started(const uint8_t *bytes, size_t n, const char *description,
                        const void *options, size_t size);

/* Removes a number from the n bytes of BootOrder. Returns the number of bytes that are left. */
size_t boot_order_remove(uint8_t *order, size_t n, uint16_t number);

/* Source: UEFI 2.10 section 10.3.4 (messaging device path). */
struct boot_path {
    bool has_mac;
    uint8_t mac[6];
    bool has_address;                        /* the machine's own IPv4 address is in it */
    uint8_t address[4], mask[4], gateway[4]; /* gateway 0.0.0.0: none */
    char uri[URL_MOST];                      /* of the program; empty: not in it, or too long */
};

/* Decodes the n bytes of a path up to its end or its first invalid node. */
void boot_path_decode(struct boot_path *p, const uint8_t *bytes, size_t n);

/* Returns whether an address is on another network than the machine's own. */
static inline bool boot_path_is_far(const struct boot_path *p, const uint8_t address[4])
{
    return ((le32(p->address) ^ le32(address)) & le32(p->mask)) != 0;
}

/* Writes the folder of a file: the text up to the last slash, or "". False: it does not fit. */
bool boot_path_folder(char *folder, size_t size, const char *file);

/* Which file a DHCP server named for the start, on which server, and the gateway. Source: RFC 2131
 * section 2 (the message), RFC 2132 sections 3.5, 9.4, 9.5 and 9.7 (options 3, 66, 67 and 54). */

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
