/* From the measurements (visits) of one working set to the point of its curve. */
#ifndef BENCH_KINDS_CURVE_POINT_H
#define BENCH_KINDS_CURVE_POINT_H

#include "bench/engine/visits.h"
#include "bench/result/curve.h"

#define POINT_PASSES 4 /* over the points after the first */
#define POINT_ROUNDS (1 + POINT_PASSES)
#define POINT_VISITS 16 /* of a point in all of them, at most */

/* Returns the point at `bytes`. Its interval is UNKNOWN if core cycles are, or if there are too few
 * visits. */
struct curve_point point_of(const struct visits *v, uint64_t bytes, const struct engine *e);

/* Finds the levels of a curve with all its points, compares them with the caches, and says whether
 * the curve is spoiled. */
void point_levels(struct curve *c);

#endif
