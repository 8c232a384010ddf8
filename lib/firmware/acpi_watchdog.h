/*
 * Hardware watchdogs that the firmware tells of: tables WDAT (Microsoft, Hardware Watchdog Timers
 * Design Specification) and WDDT (Intel, Watchdog Descriptor Table). One that runs resets the
 * machine in the midst of a run; nothing here touches it, its WDAT actions are not executed.
 */
#ifndef LIB_FIRMWARE_ACPI_WATCHDOG_H
#define LIB_FIRMWARE_ACPI_WATCHDOG_H

#include "lib/firmware/acpi_table.h"
#include "lib/text/sink.h"

struct watchdog {
    bool enabled;       /* as the table says */
    uint64_t period_ms; /* of one count; 0: not said */
    uint32_t max_count;
    struct acpi_error error;
};

/* False: too short to be one. */
bool acpi_wdat(const struct acpi_table *t, struct watchdog *w);
bool acpi_wddt(const struct acpi_table *t, struct watchdog *w);

/* What it may do, in a sentence; where the table is too short, that. */
void watchdog_text(const struct watchdog *w, const char *table, struct sink *out);

#endif
