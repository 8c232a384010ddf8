/*
 * Hardware watchdogs in the firmware's tables: WDAT (Microsoft, Hardware Watchdog Timers Design
 * Specification) and WDDT (Intel, Watchdog Descriptor Table). A running one can reset the machine
 * during a run. This code does not touch it or execute its WDAT actions.
 */
#ifndef LIB_FIRMWARE_ACPI_WATCHDOG_H
#define LIB_FIRMWARE_ACPI_WATCHDOG_H

#include "lib/firmware/acpi_table.h"
#include "lib/text/sink.h"

struct watchdog {
    bool enabled;       /* according to the table */
    uint64_t period_ms; /* of one count; 0: not known */
    uint32_t max_count;
    struct acpi_error error;
};

/* False: too short. */
bool acpi_wdat(const struct acpi_table *t, struct watchdog *w);
bool acpi_wddt(const struct acpi_table *t, struct watchdog *w);

/* Writes a sentence about what it may do, or that the table is too short. */
void watchdog_text(const struct watchdog *w, const char *table, struct sink *out);

#endif
