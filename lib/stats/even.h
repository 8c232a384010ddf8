/*
 * Finds the count from which on one of two series costs less than the other. Both are measured at
 * some counts; between two of these, the difference is interpolated linearly.
 */
#ifndef LIB_STATS_EVEN_H
#define LIB_STATS_EVEN_H

#include <stddef.h>
#include <stdint.h>

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
