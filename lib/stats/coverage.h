/*
 * docs/method.md "Coverage, how it is proven": what launch i promised, did launch j keep it? Over
 * every ordered pair of different launches, pooled over rows. Uses SSE: not for boot/ or trap
 * handlers.
 */
#ifndef LIB_STATS_COVERAGE_H
#define LIB_STATS_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/stats/modes.h"

/* What one launch says of one row: one point (theta, its half-width, share 1), or one a mode. */
struct coverage_point {
    double at, half, share;
};
struct coverage_row {
    size_t points; /* 0: this launch has no figure for the row */
    struct coverage_point point[MODES_MOST];
};

struct coverage {
    double pairs; /* that were judged: a launch, another one, a row both have a figure for */
    double share; /* of them, covered; NaN where there are none */
    double se;    /* bootstrap over the launches; NaN where fewer than three */
    bool fails;   /* share is below 95% by more than two se; false where se is not known */
};

/*
 * rows: what launch l says of row k is rows[l * count + k]. A pair is covered as far as the second
 * launch's points, weighed by their shares, lie in the union of the first one's intervals at +-
 * half. An interval that is not known (half NaN) covers nothing. scratch has room for
 * COVERAGE_SCRATCH(launches). Same seed, same bootstrap.
 */
#define COVERAGE_SCRATCH(launches) (2 * (launches) * (launches) + (launches))
struct coverage coverage(const struct coverage_row *rows, size_t launches, size_t count,
                         uint64_t seed, double *scratch);

#endif
