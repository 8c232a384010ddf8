/*
 * The machine's counters of known frequency as timers (bench/api/timer.h): TSC, HPET, ACPI PM
 * timer, PIT. Only counters.c enables, reads and restores them as clocks. Every wait is bounded by
 * reads and by raw ticks. counters.c uses general registers only, since boot/ uses it too. Sources:
 * ACPI 6.5 section 4.8.3.3, IA-PC HPET specification 1.0a section 2.3, Intel 8254 data sheet.
 */
#ifndef KERNEL_DEVICES_COUNTERS_H
#define KERNEL_DEVICES_COUNTERS_H

#include "bench/api/timer.h"
#include "lib/cpu/cpu.h"
#include "lib/firmware/acpi.h"
#include "lib/firmware/acpi_tables.h"
#include "lib/stats/clock_rate.h"

/* Maps a device's registers. NULL: the address cannot be a device's. */
typedef volatile void *counters_map(void *context, uint64_t address, uint64_t size);

struct counters {
    const struct fadt *fadt; /* NULL: the machine has no such table */
    const struct hpet_table *hpet;
    counters_map *map;
    void *map_context;

    struct timer timer[CLOCK_IDS];
    volatile uint8_t *hpet_at;
    uint32_t hpet_config; /* as found */
    uint8_t port_b;       /* as found: the gates of PIT and speaker */
};

/* fadt, hpet: NULL if the machine has no such table; else they must stay valid. `c` must
 * not move. */
void counters_init(struct counters *c, const struct fadt *fadt, const struct hpet_table *hpet,
                   counters_map *map, void *map_context);

/* Returns the timer with this id. NULL: only an operating system has it; *why is the reason. */
struct timer *counters_timer(struct counters *c, unsigned id, const char **why);

/* Why the TSC is not a clock if its frequency is not known. */
extern const char counters_tsc_unknown[];

/* Returns whether the started timer advanced by at least `counts` before the wait's limit. */
bool counters_wait(struct timer *t, uint64_t counts);

/*
 * --- clocks.c ---
 * Measures the TSC's frequency with the counters of the machine: ACPI PM timer, HPET and PIT; also
 * takes CPUID leaf 15h. Each counter is read in a few windows of about 10 ms. Every wait ends even
 * if the counter stops.
 */

/* Starts, reads and stops each counter. Its timer gets the TSC frequency measured with it, and the
 * TSC's timer gets the chosen one. `stated`: the frequency in MSRs, kept as another source. */
struct tsc_clock clocks_measure(const struct cpu *cpu, struct tsc_rate stated,
                                struct counters *counters);

/* The clocks as sources of the TSC's frequency; CLOCK_SOURCES for the TSC. */
extern const enum clock_source clocks_sources[CLOCK_IDS];

#endif
