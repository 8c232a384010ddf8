/*
 * The running core's counters of core cycles as timers (bench/api/timer.h): `pmc` and `aperf` of
 * cycle=. lib/cpu/core_counter.h and lib/cpu/aperf.h contain the logic; this file adds the
 * instructions. Usable once the traps are loaded, since an MSR may fault although CPUID promises
 * it.
 */
#ifndef KERNEL_CPU_CORE_CYCLES_H
#define KERNEL_CPU_CORE_CYCLES_H

#include "bench/api/timer.h"
#include "lib/cpu/aperf.h"
#include "lib/cpu/core_counter.h"

struct core_cycles;

struct counter_access counter_access_here(void); /* the running core */

/* A counter of one event as a timer. */
struct counter_timer {
    struct core_cycles *of;
    enum core_counter_event event;
    struct core_counter counter;
    struct timer timer;
};

struct core_cycles {
    struct core_counters has;
    struct counter_access access;
    struct counter_timer pmc, retired;
    struct aperf ratio;
    struct timer aperf;
    bool stuck; /* an MSR could not be restored when a counter was stopped */
};

/* Implements a timer_source for the running core; bench/engine/cycle.h has the rest of cycle=. `c`
 * must be zero at first and must not move. */
struct timer *core_cycles_timer(struct core_cycles *c, unsigned id, const char **why);

/* Returns a counter of retired instructions, which the caller starts and stops. NULL: CPUID reports
 * no such counter; *why has the reason. */
struct timer *core_cycles_retired(struct core_cycles *c, const char **why);

/* Stops counters that still run. Runs on the core itself, before it leaves for good. */
void core_cycles_stop(struct core_cycles *c);

#endif
