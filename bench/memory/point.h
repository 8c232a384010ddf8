/* From the measurements (visits) of one working set to the point of its curve. */
#ifndef BENCH_MEMORY_POINT_H
#define BENCH_MEMORY_POINT_H

#include "bench/figure/visits.h"
#include "bench/model/curve.h"

#define POINT_ROUNDS    4 /* passes over the points after the first */
#define POINT_PER_ROUND 4 /* visits of a point in one of them */
#define POINT_VISITS    (POINT_ROUNDS * POINT_PER_ROUND)

/* Returns the point at `bytes` of visits in `rounds` rounds. Its interval is UNKNOWN if core cycles
 * are. */
struct curve_point point_of(const struct visits *v, uint64_t bytes, unsigned rounds,
                            const struct engine *e);

/* Finds the levels of a curve with all its points, compares them with the caches, and says whether
 * the curve is spoiled. */
void point_levels(struct curve *c);

#endif
