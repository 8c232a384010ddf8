/* The fixed description table: ACPI 6.5 section 5.2.9. */
#ifndef LIB_FIRMWARE_ACPI_FADT_H
#define LIB_FIRMWARE_ACPI_FADT_H

#include "lib/firmware/acpi_table.h"

struct fadt {
    uint16_t pm_timer_port; /* I/O port, 0: none (PM_TMR_BLK, X_PM_TMR_BLK in I/O space) */
    uint8_t pm_timer_bits;  /* 24 or 32 */
    uint16_t pm1a_cnt;      /* I/O port of PM1a_CNT, 0: none */
    bool hw_reduced;        /* hardware-reduced ACPI: none of the above exists */
    bool has_reset;         /* flag RESET_REG_SUP, and an address in an allowed space */
    struct acpi_gas reset;
    uint8_t reset_value;
    struct acpi_error error;
};
bool acpi_fadt(const struct acpi_table *t, struct fadt *f); /* false: too short */

#endif
