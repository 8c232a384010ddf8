/*
 * The system resource affinity table, ACPI 6.5 section 5.2.16: which processors and memory are near
 * each other ("proximity domains"). Read entry by entry, so their number is not limited.
 */
#ifndef LIB_FIRMWARE_ACPI_SRAT_H
#define LIB_FIRMWARE_ACPI_SRAT_H

#include "lib/firmware/acpi_table.h"

struct srat {
    struct acpi_walk walk;
    uint8_t revision; /* of the table: 1 has domains of one byte */
    struct acpi_error error;
};

struct srat_entry {
    enum { SRAT_CORE, SRAT_MEMORY } what;
    uint32_t domain;
    bool enabled;          /* false: the rest of the entry is not valid */
    uint32_t id;           /* core: APIC id */
    bool x2apic;           /* core: entry type 2, else 0 */
    uint64_t base, length; /* memory: bytes */
    bool hot_plug;         /* memory: may be added or removed */
    bool non_volatile;     /* memory */
};

/* False, with `error`: too short. `t` must live as long as `s`. */
bool srat_open(struct srat *s, const struct acpi_table *t);
/* Reads the next entry of a known type; false at the end, or with an `error`. */
bool srat_next(struct srat *s, struct srat_entry *e);

#endif
