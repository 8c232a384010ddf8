/* Where core cycles come from (bench/sample/cycle.h starts and reads it). */
#ifndef BENCH_MODEL_CYCLES_H
#define BENCH_MODEL_CYCLES_H

#include <stdbool.h>
#include "bench/api/timer.h"
#include "lib/stats/estimate.h"

/* The source of core cycles. */
enum cycles_by { CYCLES_UNKNOWN, CYCLES_RULER, CYCLES_COUNTER };

struct cycle {
    struct timer_choice source; /* what cycle= came to */
    enum cycles_by by;
    /* The counter read around blocks: the source; by the ruler, the first counter after it in
     * cycle= that starts. */
    struct timer_choice counter;
    /* What a stretch with nothing in it counts, in core cycles and in ticks: a part of the two
     * readings of the counter. */
    double empty, empty_ticks;
};

/* Whether cycle= came to this one of enum cycle_id. */
bool cycle_is(const struct cycle *c, unsigned id);

/* docs/method.md "Truth": what ruler and counter may differ by, relative. */
#define CYCLE_WITHIN 0.005

/* Whether the two are apart by more than that, of the figure or of one cycle, whichever is more,
 * and more than both intervals explain: what costs nothing has no relative error. */
bool cycle_disagree(const struct estimate *ruler, const struct estimate *counter);

#endif
