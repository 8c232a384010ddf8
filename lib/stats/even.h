/*
 * From which count on does one thing cost less than another? Both are measured at some counts, and
 * between two of these the difference is taken for a straight line.
 */
#ifndef LIB_STATS_EVEN_H
#define LIB_STATS_EVEN_H

#include <stddef.h>
#include <stdint.h>

struct even_point {
    uint32_t n;
    double apart;  /* what the one costs less the other's, at this count; not NaN */
    double lo, hi; /* its interval; both are `apart` where that is exact */
};

/* Counts, 0 where there is none up to the last point. */
struct even {
    uint32_t n;      /* from here on it costs less, as measured */
    uint32_t lo, hi; /* where n is, by the intervals: lo as soon as it may be, hi once it is sure */
};

/*
 * points: at least one, in order of n, none twice. What counts is the last change: a point at which
 * it costs less does not, where it costs more at a later one. Where it costs less at all points,
 * the answer is the first: nothing is known of counts below.
 */
struct even even_find(const struct even_point *points, size_t count);

#endif
