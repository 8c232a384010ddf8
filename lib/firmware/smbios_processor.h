/*
 * Processor speeds in SMBIOS, as dmidecode shows them: structures of type 4, one per socket.
 * Source: DSP0134 3.7 section 7.5.
 */
#ifndef LIB_FIRMWARE_SMBIOS_PROCESSOR_H
#define LIB_FIRMWARE_SMBIOS_PROCESSOR_H

#include "lib/firmware/smbios.h"

struct smbios_processors {
    bool table;       /* there is a valid SMBIOS table */
    unsigned sockets; /* sockets of central processors */
    unsigned filled;  /* sockets with a CPU */
    bool unlike;      /* the CPUs' speeds differ; the values below are the first one's */
    /* MHz; 0: not known. */
    uint16_t external, maximum, current;
};

/* `entry` as for smbios_string(). */
void smbios_processors(struct smbios_processors *s, const struct physmem *mem, uint64_t entry);

#endif
