/*
 * Core cycles as a process can count them: perf_event_open(2)'s, read by RDPMC from user mode (pmc)
 * or, where the kernel does not grant that, by read(2) (perf). CPUs of virtual machines often have
 * no such counter.
 */
#ifndef HOSTED_PLATFORM_COUNTER_H
#define HOSTED_PLATFORM_COUNTER_H

#include "bench/api/timer.h"

/* A timer_source: CYCLE_PMC and CYCLE_PERF these; APERF needs ring 0; the others are those of
 * bench/sample/cycle.h. */
struct timer *counter_source(void *context, unsigned id, const char **why);

/* The platform's counter of retired instructions. */
struct timer *counter_retired(void *context, const char **why);

/* From now on this core, which is that CPU, measures: what counter_source() gives is its own. The
 * first core is 0, on whichever CPU. */
void counter_core(unsigned core, int cpu);

/* The same process is back on the core: the switch that brought it here spoils no reading. */
void counter_resume(void);

/* In a child, before it measures: it counts its own cycles. Its parent's counter, whose page a fork
 * does not copy, is none of its. */
void counter_after_fork(void);

#endif
