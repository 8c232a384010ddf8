/*
 * docs/method.md "The witness": from values of which some were taken while somebody else had part
 * of the core to a figure and its interval. Each value is a whole measurement by itself: cycles an
 * operation over one pass there and back, or one placement's. Uses SSE: not for boot/ or trap
 * handlers.
 */
#ifndef HOSTED_REPLAY_SHARED_H
#define HOSTED_REPLAY_SHARED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct shared_value {
    double value; /* NaN: there is none */
    uint32_t placement;
    bool shared;
};

struct shared_figure {
    size_t values, quiet; /* those that are known, and of these those not shared */
    size_t placements;    /* that the quiet ones are of */
    double share;         /* of the values, those that were shared; UNKNOWN: there are none */
    bool judged;          /* enough were quiet: the figure is that of an exclusive core */
    double theta;         /* UNKNOWN: there are no values */
    double lo, hi;        /* 99% interval for another launch's theta; UNKNOWN: no telling */
};

/* Quiet values, and placements of theirs, that a figure needs at the least: one placement in some
 * ten reads a cycle more than the others, and another launch has other placements. */
#define SHARED_FEWEST     4
#define SHARED_PLACEMENTS 2

/*
 * theta is the median of the quiet values: a neighbour that comes and goes between two quiet
 * witnesses makes single values too large, which a mean would keep. The interval is that of a
 * difference of two such medians: from the order statistics at 1/2 -+ d, where d is Student's t
 * (of the placements) times sqrt(2) times the standard error of the share of the values that lie
 * below theta. That is found over placements, whose values are alike (Woodruff's interval for
 * clusters), and taken as 1 / (2 sqrt(n)) at the least, as of values that have nothing in common.
 * Where d is a half and more, the least and greatest are no bounds: then also Student's t times the
 * spread of the placements' medians.
 * Judged where the quiet ones are `least` of all (0 to 1), SHARED_FEWEST, and of SHARED_PLACEMENTS.
 * Where it is not, theta is the median of all values, and the interval holds both states: the quiet
 * interval, and all values.
 *
 * scratch: room for 2 n.
 */
struct shared_figure shared_figure(const struct shared_value *v, size_t n, double least,
                                   double *scratch);

#endif
