/*
 * Measures the TSC's frequency with the counters of the machine: ACPI PM timer, HPET and PIT; also
 * takes CPUID leaf 15h. Each counter is read in a few windows of about 10 ms. Every wait ends even
 * if the counter stops.
 */
#ifndef KERNEL_CLOCK_CLOCKS_H
#define KERNEL_CLOCK_CLOCKS_H

#include "kernel/devices/counters.h"
#include "lib/cpu/cpu.h"
#include "lib/stats/clock_rate.h"

/* Starts, reads and stops each counter. Its timer gets the TSC frequency measured with it, and the
 * TSC's timer gets the chosen one. `stated`: the frequency in MSRs, kept as another source. */
struct tsc_clock clocks_measure(const struct cpu *cpu, struct tsc_rate stated,
                                struct counters *counters);

/* Converts a clock's id to that of the source of the TSC's frequency; CLOCK_SOURCES for the TSC. */
enum clock_source clocks_source(enum clock_id id);

#endif
