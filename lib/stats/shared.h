/*
 * docs/method.md "The witness": from values of which some were taken while somebody else had part
 * of the core to a figure and its interval. Each value is a whole measurement by itself: cycles an
 * operation over one pass there and back, or one placement's. Uses SSE: not for boot/ or trap
 * handlers.
 */
#ifndef LIB_STATS_SHARED_H
#define LIB_STATS_SHARED_H

#include <stdbool.h>
#include <stddef.h>

struct shared_figure {
    size_t values, quiet; /* those that are known, and of these those not shared */
    double share;         /* of the values, those that were shared; UNKNOWN: there are none */
    bool judged;          /* enough were quiet: the figure is that of a core of one's own */
    double theta;         /* UNKNOWN: there are no values */
    double lo, hi;        /* 99% interval for another launch's theta; UNKNOWN: no telling */
};

/*
 * theta is the median of the quiet values: a neighbour that comes and goes between two quiet
 * witnesses makes single values too large, which a mean would keep. The interval is that of a
 * difference of two such medians: from the order statistics at 1/2 -+ z sqrt(2) / (2 sqrt(n)),
 * beyond the least or greatest by Student's t and the MAD, and kappa as in lib/stats/estimate.h.
 * Judged where the quiet ones are `least` of all (0 to 1) and two at the least. Where it is not,
 * theta is the median of all values, and the interval holds both states: the quiet interval, and
 * all values.
 *
 * value: NaN where there is none. scratch: room for n.
 */
struct shared_figure shared_figure(const double *value, const bool *shared, size_t n, double least,
                                   double kappa, double *scratch);

#endif
