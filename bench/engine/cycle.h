/*
 * The source of core cycles (cycle=): the ruler, or a counter of the CPU. Next to the ruler a
 * counter is read too, so that the two can be compared. A tick of the TSC is never a core cycle:
 * with `tsc`, `rdtscp` and `null` a report has no core cycles. Below it compensate=on.
 */
#ifndef BENCH_ENGINE_CYCLE_H
#define BENCH_ENGINE_CYCLE_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/engine/context.h"
#include "bench/result/probe.h"

/* Starts the timers that cycle= names. */
void cycle_open(struct engine *e);
/* Returns whether every timer that cycle= asks for has started. If not, writes a message. */
bool cycle_check_words(const struct engine *e, struct sink *err);
/* Stops the timers and restores their former state. */
void cycle_close(struct engine *e);

/*
 * Counter and TSC at the beginning or the end of an interval. Both readings of the TSC are between
 * those of the counter. If a reading of the counter leaves the core (a hypervisor emulates RDPMC: 1
 * us during which the counter stops), the TSC does not count that time either. If the TSC were read
 * after the counter at both ends, it would count the time of one reading.
 */
struct cycle_mark {
    bool known;
    uint64_t count, tsc;
};
struct cycle_mark cycle_begin(struct engine *e);
struct cycle_mark cycle_end(struct engine *e);
/* Returns the core cycles between two marks; UNKNOWN if either is not known. */
double cycle_between(const struct engine *e, const struct cycle_mark *from,
                     const struct cycle_mark *to);
/* Returns the core cycles per tick, with the counts of an empty interval subtracted; UNKNOWN if the
 * interval is no longer than that. */
double cycle_ratio(const struct engine *e, const struct cycle_mark *from,
                   const struct cycle_mark *to);

/* Runs the self-test "core_counter", which is judged on silicon. Stops the counters that are not in
 * use again. */
struct cycle_check cycle_judge(struct engine *e);

/*
 * compensate=on: removes the cost of timer interrupts from windows of method=kbest
 * (lib/stats/clock_rate.h). Only in a process; a bare machine masks these interrupts.
 */

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
