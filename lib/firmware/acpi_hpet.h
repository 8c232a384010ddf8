/* The table that says where the HPET is: IA-PC HPET specification 1.0a section 3.2.4. */
#ifndef LIB_FIRMWARE_ACPI_HPET_H
#define LIB_FIRMWARE_ACPI_HPET_H

#include "lib/firmware/acpi_table.h"

/* The period is not in the table: the block's own register at offset 4 has it. */
struct hpet_table {
    uint64_t address;  /* MMIO base, 0: not in memory space */
    uint32_t id;       /* event timer block id: the low half of the block's first register */
    uint8_t number;    /* of several blocks */
    uint16_t min_tick; /* least ticks between periodic interrupts without a loss */
    struct acpi_error error;
};
bool acpi_hpet(const struct acpi_table *t, struct hpet_table *h); /* false: too short to be one */

#endif
