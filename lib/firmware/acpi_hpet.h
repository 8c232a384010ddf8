/* The table with the HPET's address: IA-PC HPET specification 1.0a section 3.2.4. */
#ifndef LIB_FIRMWARE_ACPI_HPET_H
#define LIB_FIRMWARE_ACPI_HPET_H

#include "lib/firmware/acpi_table.h"

/* The period is not in the table but in the block's register at offset 4. */
struct hpet_table {
    uint64_t address;  /* MMIO base, 0: not in memory space */
    uint32_t id;       /* event timer block id: the low half of the block's first register */
    uint8_t number;    /* index, if there are several blocks */
    uint16_t min_tick; /* minimum ticks between periodic interrupts without loss */
    struct acpi_error error;
};
bool acpi_hpet(const struct acpi_table *t, struct hpet_table *h); /* false: too short */

#endif
