/*
 * The TSC's frequency from what the machine has: ACPI PM timer, HPET, PIT, and CPUID leaf 15h
 * beside them. Each is read in a few windows of about 10 ms; no wait depends on the counter moving.
 */
#ifndef KERNEL_CLOCK_CLOCKS_H
#define KERNEL_CLOCK_CLOCKS_H

#include "kernel/devices/counters.h"
#include "lib/cpu/cpu.h"
#include "lib/stats/clock.h"

/* Each counter is started, read and stopped; its timer gets the TSC's frequency by it, and the
 * TSC's own timer the one that they agree on. `stated`: what MSRs say, kept beside them. */
struct tsc_clock clocks_measure(const struct cpu *cpu, struct tsc_rate stated,
                                struct counters *counters);

/* Which source of the TSC's frequency a clock is; CLOCK_SOURCES for the TSC itself. */
enum clock_source clocks_source(enum clock_id id);

#endif
