/*
 * Memory modules as SMBIOS lists them: structures of type 17, a slot each. Source: DSP0134 3.7
 * section 7.18.
 */
#ifndef LIB_FIRMWARE_SMBIOS_MEMORY_H
#define LIB_FIRMWARE_SMBIOS_MEMORY_H

#include "lib/firmware/smbios.h"

#define SMBIOS_MEMORY_KINDS 8

/* Modules that are alike. */
struct smbios_modules {
    unsigned count;
    uint64_t bytes;          /* of each; 0: not known */
    uint32_t mega_transfers; /* a second, as configured, else at the most; 0: not known */
    uint8_t type;            /* table 78's code */
};

struct smbios_memory {
    unsigned slots; /* filled or not; 0: not known */
    unsigned kinds; /* of modules, in the order of their first */
    struct smbios_modules kind[SMBIOS_MEMORY_KINDS];
    unsigned left_out; /* modules that are of further kinds */
};

/* `entry` as for smbios_string(). */
void smbios_memory(struct smbios_memory *m, const struct physmem *mem, uint64_t entry);

/* "DDR4"; NULL: other, unknown, or a code that is not known here. */
const char *smbios_memory_type(uint8_t type);

#endif
