/*
 * Determines how a cost grows with n. Fits each curve c f(n) to the points by least squares and
 * takes the one with the smallest error, as Google Benchmark's complexity does.
 */
#ifndef LIB_STATS_GROWTH_H
#define LIB_STATS_GROWTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/*
 * Finds the count from which on one of two series costs less than the other. Both are measured at
 * some counts; between two of these, the difference is interpolated linearly.
 */
struct even_point {
    uint32_t n;
    double apart;  /* cost of the one minus cost of the other at this count; not NaN */
    double lo, hi; /* its interval; both are `apart` if that is exact */
};

/* Counts; 0: not reached up to the last point. */
struct even {
    uint32_t n;      /* from this count on it costs less, as measured */
    uint32_t lo, hi; /* interval of n: lo the earliest possible count, hi the first certain one */
};

/*
 * points: at least one, in ascending order of n, each n once. Only the last change counts: a point
 * at which it costs less is ignored if it costs more at a later one. If it costs less at all
 * points, the answer is the first: counts below are not known.
 */
struct even even_find(const struct even_point *points, size_t count);

#endif
