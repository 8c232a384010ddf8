/*
 * The MCFG table: the address of PCI configuration space in memory, for each segment (PCI Firmware
 * Specification 3.0 section 4.1.2).
 */
#ifndef LIB_FIRMWARE_ACPI_MCFG_H
#define LIB_FIRMWARE_ACPI_MCFG_H

#include "lib/firmware/acpi_table.h"

#define MCFG_MAX 32 /* entries: a machine with eight sockets has about ten */

struct mcfg {
    unsigned n, left_out; /* number of entries; of those beyond MCFG_MAX */
    struct {
        uint64_t address; /* of bus 0, even if the entry does not have that bus */
        uint16_t segment;
        uint8_t first, last; /* buses */
    } entry[MCFG_MAX];
    struct acpi_error error;
};

/* False: too short. Entries that contradict themselves are skipped. */
bool acpi_mcfg(const struct acpi_table *t, struct mcfg *m);

#endif
