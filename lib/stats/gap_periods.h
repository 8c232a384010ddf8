/*
 * Finds the periods of gaps: of a firmware's timer, of a kernel's tick, of both at once. Pure. Uses
 * SSE: not for boot/ or trap handlers.
 *
 * A period P is a series of gaps of which each begins P after the one before it:
 * - Its beats are counted from its first gap to its last. At least two thirds of them have a gap,
 *   so gaps may be missing. The series lasts for at least half of the time from the first gap to
 *   the last, so a burst is not a period.
 * - A gap belongs to a beat if it begins within a tolerance of the previous one plus P. The
 *   tolerance is a tenth of P, or a tenth of the mean distance of all gaps if that is less. So a
 *   timer that is set again after each gap has a period too.
 * - Chance is excluded: if gaps occurred at random times at the same rate, such a series would be
 *   found in fewer than one of 1000 searches.
 *
 * The series with the most gaps is taken, and a second one is looked for among the other gaps. It
 * is done for the first GAPS_KEPT gaps of each class of lengths, the longest first, so that the
 * rare gaps of an SMI are found among many short ones. A period that two classes have, or a
 * multiple of it, is reported once.
 */
#ifndef LIB_STATS_GAP_PERIODS_H
#define LIB_STATS_GAP_PERIODS_H

#include "lib/stats/gaps.h"

#define GAP_PERIODS_MOST     8 /* in the result */
#define GAP_PERIODS_OF_CLASS 2 /* in each class */

struct gap_period {
    unsigned class; /* the gaps of at least this length; see GAPS_CLASSES */
    double ticks;   /* the period: the mean over its beats */
    double jitter;  /* ticks by which a gap was early or late, at most; up to the tolerance */
    unsigned gaps;  /* that have this period */
    unsigned of;    /* gaps that were searched for it */
};

struct gap_periods {
    unsigned n; /* 0: no period */
    struct gap_period found[GAP_PERIODS_MOST];
};

struct gap_periods gap_periods(const struct gaps *g);

#endif
