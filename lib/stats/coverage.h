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

/* What one launch says of one row. */
struct coverage_row {
    double figure, lo, hi; /* figure NaN: there is none; lo or hi NaN: the interval holds nothing */
};

struct coverage {
    double pairs; /* that were judged: a launch, another one, a row both have a figure for */
    double share; /* of them, covered; NaN where there are none */
    double se;    /* bootstrap over the launches; NaN where fewer than three */
    bool fails;   /* share is below `wanted` by more than two se; false where se is not known */
};

/* What docs/method.md asks for: of all rows together, and of each. */
#define COVERAGE_POOLED 0.98
#define COVERAGE_ROW    0.90

/*
 * rows: what launch l says of row k is rows[l * count + k]. A pair is covered where the second
 * launch's figure lies in the first one's interval, its ends included. scratch has room for
 * COVERAGE_SCRATCH(launches). Same seed, same bootstrap.
 */
#define COVERAGE_SCRATCH(launches) (2 * (launches) * (launches) + (launches))
struct coverage coverage(const struct coverage_row *rows, size_t launches, size_t count,
                         double wanted, uint64_t seed, double *scratch);

#endif
