/* Repeats visits of a curve's points that a neighbour disturbed, in the rest of the row's time. */
#ifndef BENCH_FIGURE_REPEATS_H
#define BENCH_FIGURE_REPEATS_H

#include <stddef.h>
#include "bench/context/budget.h"
#include "bench/figure/visits.h"

struct repeats {
    struct visits *visits; /* of each of n points */
    size_t n;
    const double *cost; /* seconds of a visit of each; no visit is begun that needs more than is
                         * left */
    const struct budget *budget;
    /* Visits a point. False: the row has ended. */
    bool (*visit)(void *ctx, size_t point, struct pairs_figure *exclusive,
                  struct pairs_figure *all);
    void *ctx;
};

/*
 * Passes over the points most of whose pairs were shared, and repeats one disturbed visit of each,
 * as long as there is such a point and time for it. False: the row has ended.
 */
bool repeats_take(const struct repeats *r);

#endif
