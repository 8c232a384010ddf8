/*
 * The running core's counters of core cycles as timers (bench/api/timer.h): `pmc` and `aperf` of
 * cycle=. lib/cpu/core_counter.h and lib/cpu/aperf.h decide and do; here are the instructions.
 * Usable once the traps are loaded: an MSR that CPUID promises may fault all the same.
 */
#ifndef KERNEL_CPU_CORE_CYCLES_H
#define KERNEL_CPU_CORE_CYCLES_H

#include "bench/api/timer.h"
#include "lib/cpu/aperf.h"
#include "lib/cpu/core_counter.h"

struct core_cycles {
    struct core_counters has;
    struct counter_access access;
    struct core_counter counter, instructions;
    struct aperf ratio;
    struct timer pmc, aperf, retired;
    bool stuck; /* an MSR did not read back as it was found when the counter was stopped */
};

/* A timer_source's work, for the core that runs; the rest of cycle= is bench/sample/cycle.h's.
 * `c`, all zero at first, must stay where it is. */
struct timer *core_cycles_timer(struct core_cycles *c, unsigned id, const char **why);

/* A counter of retired instructions, to be started and stopped around what is counted; NULL: *why
 * says why CPUID promises none. */
struct timer *core_cycles_retired(struct core_cycles *c, const char **why);

/* On the core itself, which leaves for good: what was not stopped is. */
void core_cycles_stop(struct core_cycles *c);

#endif
