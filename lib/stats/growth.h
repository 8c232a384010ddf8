/*
 * Determines how a cost grows with n. Fits each curve c f(n) to the points by least squares and
 * takes the one with the smallest error, as Google Benchmark's complexity does. Uses SSE: not for
 * boot/ or trap handlers.
 */
#ifndef LIB_STATS_GROWTH_H
#define LIB_STATS_GROWTH_H

#include <stdbool.h>
#include <stddef.h>

enum growth_curve {
    GROWTH_CONSTANT,
    GROWTH_LOG_N, /* logarithms to base 2 */
    GROWTH_N,
    GROWTH_N_LOG_N,
    GROWTH_N_SQUARED,
    GROWTH_CURVES
};
extern const char *const growth_names[GROWTH_CURVES]; /* "constant", "log n", ... */

struct growth_point {
    double n, cost;
};

#define GROWTH_POINTS_LEAST 3
/* The best curve fits if its error is at most this share of the mean cost. A logarithm plus a
 * constant is within it; n^1.5 at powers of 8 and n^3 are not. */
#define GROWTH_ERROR_MOST 0.15

struct growth {
    size_t points;           /* used: those with n >= 1, since log 0 does not exist */
    enum growth_curve curve; /* the best; of several equally good ones, the slowest growth */
    double coefficient;      /* its c; UNKNOWN, as error: fewer than GROWTH_POINTS_LEAST points */
    double error;            /* its root mean square error, as a share of the mean cost */
    bool fits;
};

/* points: of finite cost, n not negative. */
struct growth growth_fit(const struct growth_point *points, size_t count);

#endif
