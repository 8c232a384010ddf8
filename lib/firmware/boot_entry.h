/* A boot entry: the content of a variable Boot####. Source: UEFI 2.10 sections 3.1.3
 * (EFI_LOAD_OPTION) and 3.3 (BootOrder). */
#ifndef LIB_FIRMWARE_BOOT_ENTRY_H
#define LIB_FIRMWARE_BOOT_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Points into the variable's bytes. */
struct boot_entry {
    const uint8_t *description; /* UTF-16LE without its NUL */
    size_t characters;          /* of the description */
    const uint8_t *data;        /* load options */
    size_t size;                /* of data, bytes */
};

/* False: the n bytes are not an entry. */
bool boot_entry_decode(struct boot_entry *entry, const uint8_t *bytes, size_t n);
/* Returns whether the description is this text of ASCII characters. */
bool boot_entry_is(const struct boot_entry *entry, const char *description);
/* Drops the first word of the load options, with its blank, if it is a path that begins with "\".
 * shim starts the program of that name and passes it the rest. */
void boot_entry_drop_path(struct boot_entry *entry);

/* Removes a number from the n bytes of BootOrder. Returns the number of bytes that are left. */
size_t boot_order_remove(uint8_t *order, size_t n, uint16_t number);

#endif
