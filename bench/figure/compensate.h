/*
 * compensate=on: windows of method=kbest without the timer interrupts that came into them
 * (lib/stats/tick.h). Only where such can come, in a process; a bare machine masks them.
 */
#ifndef BENCH_FIGURE_COMPENSATE_H
#define BENCH_FIGURE_COMPENSATE_H

#include "bench/context/context.h"

/* Where it is asked for: finds what an interrupt costs, within two seconds; else why_not says why
 * it does not run. */
void compensate_open(struct engine *e);

/* The count before a window, for compensate_window(); 0 where it does not run. */
static inline uint64_t compensate_before(const struct engine *e)
{
    return e->facts.compensate.cost.known ? e->p->timer_interrupts() : 0;
}

/* A window's ticks, what came into it taken off and counted. *alone: the shortest window of its
 * kind into which nothing came; UINT64_MAX at first. */
uint64_t compensate_window(const struct engine *e, uint64_t before, uint64_t ticks, uint64_t *alone,
                           uint64_t *interrupts);

#endif
