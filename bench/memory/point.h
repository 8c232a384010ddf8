/* The measurements (visits) of one point of a curve, and the figure that they give. */
#ifndef BENCH_MEMORY_POINT_H
#define BENCH_MEMORY_POINT_H

#include "bench/memory/visit.h"
#include "bench/model/curve.h"

#define POINT_ROUNDS    4 /* passes over the points after the first */
#define POINT_PER_ROUND 4 /* visits of a point in one of them */
#define POINT_VISITS    (POINT_ROUNDS * POINT_PER_ROUND)

struct point_taken {
    unsigned n;
    uint8_t round[POINT_VISITS];
    struct pairs_figure quiet[POINT_VISITS], all[POINT_VISITS];
};

/* Adds a visit of this round; at most POINT_VISITS. */
void point_note(struct point_taken *t, unsigned round, const struct visit *v);

/* Returns the point at `bytes` of visits in `rounds` rounds. Its interval is UNKNOWN if core cycles
 * are. */
struct curve_point point_of(const struct point_taken *t, uint64_t bytes, unsigned rounds,
                            const struct engine *e);

#endif
