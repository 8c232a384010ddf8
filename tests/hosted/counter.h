/*
 * Core cycles as a process can count them: perf_event_open(2)'s, read by RDPMC from user mode. The
 * kernel grants it, or not; CPUs of virtual machines often have none.
 */
#ifndef HOSTED_COUNTER_H
#define HOSTED_COUNTER_H

#include "bench/api/timer.h"

/* A timer_source: CYCLE_PMC this one; APERF needs ring 0; the others bench/measure/cycle.h's. */
struct timer *counter_source(void *context, unsigned id, const char **why);

/* From now on this core, which is that CPU, measures: what counter_source() gives is its own. The
 * first core is 0, on whichever CPU. */
void counter_core(unsigned core, int cpu);

/* The same process is back on the core: the switch that brought it here spoils no reading. */
void counter_resume(void);

/* In a child, before it measures: it counts its own cycles. Its parent's counter, whose page a fork
 * does not copy, is none of its. */
void counter_after_fork(void);

#endif
