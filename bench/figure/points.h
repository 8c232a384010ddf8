/* Visits the points of a curve in passes, and repeats visits that a neighbour disturbed. */
#ifndef BENCH_FIGURE_POINTS_H
#define BENCH_FIGURE_POINTS_H

#include <stddef.h>
#include "bench/context/budget.h"
#include "bench/context/context.h"
#include "bench/figure/visits.h"

struct points {
    const struct engine *e;
    struct visits *visits; /* of each of n points */
    size_t n;
    const double *cost; /* seconds of a visit of each; no visit is repeated that needs more than is
                         * left */
    const struct budget *budget;
    unsigned passes, first; /* number of passes; the round of the first one (visits.h) */
    double share;           /* of the row's time that was over before them */
    /* Returns how many visits the k-th pass makes of a point. */
    unsigned (*times)(const void *ctx, unsigned k, size_t point);
    /* Visits a point. False: the row has ended. */
    bool (*visit)(void *ctx, size_t point, struct pairs_figure *exclusive,
                  struct pairs_figure *all);
    void *ctx;
};

/* Makes the k-th pass: forward in even rounds, backward in odd ones. False: the row has ended. */
bool points_pass(const struct points *p, unsigned k);

/*
 * Passes over the points most of whose pairs were shared, and repeats one disturbed visit of each,
 * as long as there is such a point and time for it. Nothing is repeated where no CPU executes the
 * code. False: the row has ended.
 */
bool points_repeat(const struct points *p);

#endif
