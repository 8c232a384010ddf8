/*
 * Core cycles in a process: the counter of perf_event_open(2), read with RDPMC in user mode (pmc)
 * or, if the kernel does not allow that, with read(2) (perf). CPUs of virtual machines often have
 * no such counter.
 */
#ifndef HOSTED_PLATFORM_COUNTER_H
#define HOSTED_PLATFORM_COUNTER_H

#include "bench/api/timer.h"

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
