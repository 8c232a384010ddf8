/*
 * Processor speeds as SMBIOS states them, which is what dmidecode shows: structures of type 4, a
 * socket each. Source: DSP0134 3.7 section 7.5.
 */
#ifndef LIB_FIRMWARE_SMBIOS_PROCESSOR_H
#define LIB_FIRMWARE_SMBIOS_PROCESSOR_H

#include "lib/firmware/smbios.h"

struct smbios_processors {
    bool table;       /* there is an SMBIOS table that holds */
    unsigned sockets; /* of central processors, ... */
    unsigned filled;  /* ... and those with a CPU in them */
    bool unlike;      /* the CPUs' speeds differ; what follows is the first one's */
    /* MHz; 0: not known. */
    uint16_t external, maximum, current;
};

/* `entry` as for smbios_string(). */
void smbios_processors(struct smbios_processors *s, const struct physmem *mem, uint64_t entry);

#endif
