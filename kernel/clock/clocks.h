/*
 * The TSC's frequency from what the machine has: ACPI PM timer, HPET, PIT, and CPUID leaf 15h
 * beside them. Each is read in a few windows of about 10 ms; no wait depends on the counter moving.
 */
#ifndef KERNEL_DEVICES_CLOCKS_H
#define KERNEL_DEVICES_CLOCKS_H

#include "kernel/devices/counters.h"
#include "lib/cpu/cpu.h"
#include "lib/stats/clock.h"

/* Each counter is started, read and stopped, `stated` set beside them; its timer gets the TSC's frequency by it, and the
 * TSC's own the one that they agree on. */
struct tsc_clock clocks_measure(const struct cpu *cpu, struct tsc_rate stated,
                                struct counters *counters);

/* Which source of the TSC's frequency a clock is; CLOCK_SOURCES for the TSC itself. */
enum clock_source clocks_source(enum clock_id id);

#endif
