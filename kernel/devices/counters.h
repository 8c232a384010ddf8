/*
 * The machine's counters of known frequency as timers (bench/api/timer.h): TSC, HPET, ACPI PM
 * timer, PIT. The one place that knows how each is switched on, read and left as it was found.
 * Every wait is bounded by reads and by raw ticks. General registers only: boot/ uses them too.
 * Sources: ACPI 6.5 section 4.8.3.3, IA-PC HPET specification 1.0a section 2.3, Intel 8254 data
 * sheet.
 */
#ifndef KERNEL_DEVICES_COUNTERS_H
#define KERNEL_DEVICES_COUNTERS_H

#include "bench/api/timer.h"
#include "lib/firmware/acpi.h"
#include "lib/firmware/acpi_fadt.h"
#include "lib/firmware/acpi_hpet.h"

/* A device's registers, or NULL where the address cannot be one's. */
typedef volatile void *counters_map(void *context, uint64_t address, uint64_t size);

struct counters {
    bool has_fadt, has_hpet; /* the machine has such a table */
    struct fadt fadt;
    struct hpet_table hpet;
    counters_map *map;
    void *map_context;

    struct timer timer[CLOCK_IDS];
    volatile uint8_t *hpet_at;
    uint32_t hpet_config; /* as found */
    uint8_t port_b;       /* as found: the PIT's gate, and the speaker's */
};

/* fadt, hpet: NULL where there is no such table. `c` must stay where it is. */
void counters_init(struct counters *c, const struct fadt *fadt, const struct hpet_table *hpet,
                   counters_map *map, void *map_context);

/* The timer of an id that a machine has; NULL: it is an operating system's, and *why says so. */
struct timer *counters_timer(struct counters *c, unsigned id, const char **why);

/* Why the TSC is no clock where nothing gave its frequency. */
extern const char counters_tsc_unknown[];

/* Whether the timer, started, came at least `counts` further before patience ran out. */
bool counters_wait(struct timer *t, uint64_t counts);

#endif
