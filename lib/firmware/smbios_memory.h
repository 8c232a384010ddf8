/*
 * Memory modules in SMBIOS: structures of type 17, one per slot. Source: DSP0134 3.7 section 7.18.
 */
#ifndef LIB_FIRMWARE_SMBIOS_MEMORY_H
#define LIB_FIRMWARE_SMBIOS_MEMORY_H

#include "lib/firmware/smbios.h"

#define SMBIOS_MEMORY_KINDS 8

/* Identical modules. */
struct smbios_modules {
    unsigned count;
    uint64_t bytes;          /* of each module; 0: not known */
    uint32_t mega_transfers; /* per second, configured or else maximum; 0: not known */
    uint8_t type;            /* code of table 78 */
};

struct smbios_memory {
    unsigned slots; /* filled and empty; 0: not known */
    unsigned kinds; /* of modules, in the order of appearance */
    struct smbios_modules kind[SMBIOS_MEMORY_KINDS];
    unsigned left_out; /* modules of further kinds */
};

/* `entry` as for smbios_string(). */
void smbios_memory(struct smbios_memory *m, const struct physmem *mem, uint64_t entry);

/* Returns "DDR4"; NULL: other, unknown, or an unknown code. */
const char *smbios_memory_type(uint8_t type);

#endif
