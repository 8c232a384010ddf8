/*
 * docs/coverage.md "Coverage, how it is proven": does the figure of launch j lie in the interval of
 * launch i? Counted over every ordered pair of different launches, pooled over rows. Uses SSE: not
 * for boot/ or trap handlers.
 */
#ifndef LIB_STATS_COVERAGE_H
#define LIB_STATS_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The figure of one row in one launch, with its interval. */
struct coverage_row {
    double figure, lo, hi; /* figure NaN: no figure; lo or hi NaN: the interval contains nothing */
};

struct coverage {
    double pairs; /* judged: a launch, another launch, a row for which both have a figure */
    double share; /* the share of the pairs that are covered; NaN without pairs */
    double se;    /* bootstrap over the launches; NaN with fewer than three */
    bool fails;   /* share is below `wanted` by more than two se; false if se is not known */
};

/* The required shares (docs/coverage.md): of all rows together, and of each row. */
#define COVERAGE_POOLED 0.98
#define COVERAGE_ROW    0.90

/*
 * rows: rows[l * count + k] is what launch l reports about row k. A pair is covered if the second
 * launch's figure lies in the first one's interval, ends included. scratch has room for
 * COVERAGE_SCRATCH(launches). The same seed gives the same bootstrap.
 */
#define COVERAGE_SCRATCH(launches) (2 * (launches) * (launches) + (launches))
struct coverage coverage(const struct coverage_row *rows, size_t launches, size_t count,
                         double wanted, uint64_t seed, double *scratch);

#endif
