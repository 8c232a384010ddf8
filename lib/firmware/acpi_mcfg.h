/*
 * The MCFG table: where PCI configuration space lies in memory, segment by segment (PCI Firmware
 * Specification 3.0 section 4.1.2).
 */
#ifndef LIB_FIRMWARE_ACPI_MCFG_H
#define LIB_FIRMWARE_ACPI_MCFG_H

#include "lib/firmware/acpi_table.h"

#define MCFG_MAX 32 /* entries: a machine with eight sockets has some ten */

struct mcfg {
    unsigned n, left_out; /* entries; those beyond MCFG_MAX */
    struct {
        uint64_t address; /* of bus 0, whether the entry has that bus or not */
        uint16_t segment;
        uint8_t first, last; /* buses */
    } entry[MCFG_MAX];
    struct acpi_error error;
};

/* False: too short to be one. Entries that contradict themselves are passed over. */
bool acpi_mcfg(const struct acpi_table *t, struct mcfg *m);

#endif
