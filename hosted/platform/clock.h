/*
 * Measures the TSC's frequency in a process: against CLOCK_MONOTONIC_RAW, which no time server
 * adjusts, in a few windows of about 10 ms. Also has what CPUID states, in leaf 15h or others.
 */
#ifndef HOSTED_PLATFORM_CLOCK_H
#define HOSTED_PLATFORM_CLOCK_H

#include "bench/api/timer.h"
#include "lib/cpu/cpu.h"
#include "lib/stats/clock_rate.h"

enum hosted_source { HOSTED_MONOTONIC_RAW, HOSTED_CPUID15, HOSTED_STATED, HOSTED_SOURCES };
/* "monotonic_raw", "cpuid15", "stated" */
extern const char *const hosted_source_names[HOSTED_SOURCES];

struct hosted_clock {
    struct clock_result source[HOSTED_SOURCES];
    enum hosted_source used; /* the first that is known */
    uint64_t hz;             /* 0: none is known */
    enum tsc_rate_source stated_by;
};

struct hosted_clock clock_measure(const struct cpu *cpu);

/* Returns the timer interrupts since the system started, counted by the kernel's tick:
 * CLOCK_MONOTONIC_COARSE advances with it and is read without a system call. */
uint64_t clock_timer_interrupts(void);

/* Returns one of the platform's clocks, after clock_measure: the TSC; CPU time of the process and
 * of the thread, clock(3), times(2). */
struct timer *clock_source(void *context, unsigned id, const char **why);

/*
 * --- counter.c ---
 * Core cycles in a process: the counter of perf_event_open(2), read with RDPMC in user mode (pmc)
 * or, if the kernel does not allow that, with read(2) (perf). CPUs of virtual machines often have
 * no such counter.
 */

/* A timer_source: has CYCLE_PMC and CYCLE_PERF; APERF needs ring 0; the others are those of
 * bench/engine/cycle.h. */
struct timer *counter_source(void *context, unsigned id, const char **why);

/* The platform's counter of retired instructions. */
struct timer *counter_retired(void *context, const char **why);

/* Selects the core that measures from now on, on that CPU: counter_source() returns its own
 * counter. The first core is 0, on any CPU. */
void counter_core(unsigned core, int cpu);

/* Call when the same process returns to the core: the switch does not spoil the next reading. */
void counter_resume(void);

/* Call in a child before it measures: it opens counters for its own cycles. It cannot use its
 * parent's, whose page a fork does not copy. */
void counter_after_fork(void);

#endif
