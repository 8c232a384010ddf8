/* The source of core cycles (bench/engine/cycle.h starts and reads it). */
#ifndef BENCH_RESULT_CYCLES_H
#define BENCH_RESULT_CYCLES_H

#include <stdbool.h>
#include "bench/api/timer.h"
#include "lib/stats/estimate.h"

/* The source of core cycles. */
enum cycles_by { CYCLES_UNKNOWN, CYCLES_RULER, CYCLES_COUNTER };

struct cycle {
    struct timer_choice source; /* the choice of cycle= */
    enum cycles_by by;
    /* The counter read around blocks: the source; if that is the ruler, the first counter after it
     * in cycle= that starts. */
    struct timer_choice counter;
    /* The counts of an empty interval, in core cycles and in ticks: a part of the two readings of
     * the counter. */
    double empty, empty_ticks;
};

/* Returns whether the source is this one of enum cycle_id. */
bool cycle_is(const struct cycle *c, unsigned id);

/* docs/checks.md "Truth": the relative difference that ruler and counter may have. */
#define CYCLE_WITHIN 0.005

/* Returns whether the two differ by more than CYCLE_WITHIN plus both intervals. CYCLE_WITHIN
 * applies to the figure, or to one cycle if that is more: a cost of zero has no relative error. */
bool cycle_disagree(const struct estimate *ruler, const struct estimate *counter);

#endif
