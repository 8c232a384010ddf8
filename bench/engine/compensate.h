/*
 * compensate=on: removes the cost of timer interrupts from windows of method=kbest
 * (lib/stats/clock_rate.h). Only in a process; a bare machine masks these interrupts.
 */
#ifndef BENCH_ENGINE_COMPENSATE_H
#define BENCH_ENGINE_COMPENSATE_H

#include "bench/engine/context.h"

/* Measures an interrupt's cost, within 2 s, if compensate=on. why_not: why it does not run. */
void compensate_open(struct engine *e);

/* Returns the interrupt count before a window, for compensate_window(); 0 if it does not run. */
static inline uint64_t compensate_before(const struct engine *e)
{
    return e->facts.compensate.cost.known ? e->p->events.timer_interrupts() : 0;
}

/* Returns a window's ticks without the cost of the interrupts in it, and adds those to *interrupts.
 * *shortest: the shortest window of its kind without an interrupt; UINT64_MAX at first. */
uint64_t compensate_window(const struct engine *e, uint64_t before, uint64_t ticks,
                           uint64_t *shortest, uint64_t *interrupts);

#endif
