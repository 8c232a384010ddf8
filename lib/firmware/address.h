/*
 * Finds what a physical address belongs to, so that no device is probed where a write would hit
 * another one. Sources: ACPI 6.5 sections 5.2.12 (MADT) and 5.2.6 (MCFG, HPET); Intel SDM vol. 3A
 * section 11.11.1 (messages to local APICs: FEEx_xxxxh); data sheets of Intel's PCHs, memory map:
 * FF00_0000h to FFFF_FFFFh is flash.
 */
#ifndef LIB_FIRMWARE_ADDRESS_H
#define LIB_FIRMWARE_ADDRESS_H

#include "lib/firmware/acpi.h"
#include "lib/firmware/acpi_cores.h"

struct address_map {
    const struct acpi *acpi; /* NULL: no tables */
    const struct madt *madt; /* NULL: none */
    /* What the memory map has there, NULL: nothing that rules out a device. NULL: no map. */
    const char *(*region)(void *ctx, uint64_t start, uint64_t size);
    void *ctx;
};

/* Returns what any of these bytes belongs to, in words that follow "it is"; NULL: not known. */
const char *address_taken(const struct address_map *m, uint64_t start, uint64_t size);

#endif
