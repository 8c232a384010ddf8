/* Visits the points of a curve in passes, then those again that are disturbed or uncertain. */
#ifndef BENCH_ENGINE_POINTS_H
#define BENCH_ENGINE_POINTS_H

#include <stddef.h>
#include "bench/engine/budget.h"
#include "bench/engine/context.h"
#include "bench/engine/visits.h"

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

/* Returns the figure of a point's visits. */
struct visits_figure points_figure(const struct engine *e, const struct visits *v, unsigned rounds);

/*
 * Uses the time that is left. In turn it repeats one disturbed visit of each point most of whose
 * pairs were shared, and visits the point once more, in the last round, whose interval is widest
 * as a part of the figure, times `weight`, and which has fewer than VISITS_MOST visits. Points
 * without an interval come first, those with fewer visits before others. Ends when all intervals
 * are narrow. Nothing is done where no CPU executes the code. False: the row has ended.
 */
bool points_improve(const struct points *p, double (*weight)(const void *ctx, size_t point));

#endif
