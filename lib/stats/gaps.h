/*
 * Gaps: times at which a core that only reads its TSC was interrupted by an SMI, a hypervisor or
 * another program. Pure: the caller spins and adds each gap with its time. All are counted by
 * length, in a memory that does not grow.
 *
 * An iteration of the loop is a gap if it takes 1 us longer than a typical one, and at least
 * GAPS_ITERATIONS typical ones. The second condition matters where software executes the loop.
 */
#ifndef LIB_STATS_GAPS_H
#define LIB_STATS_GAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GAPS_ITERATIONS 8

/* Lengths are counted in bins from 1 us to 1000 s, ten per decade: 1.00, 1.25, 1.60, 2.00, 2.50,
 * 3.15, 4.00, 5.00, 6.30, 8.00 us and so on (ISO 3, series R10), each at most 28% longer than the
 * one before. The last bin has no end. */
#define GAPS_PER_DECADE 10
#define GAPS_DECADES    9
#define GAPS_BINS       (GAPS_DECADES * GAPS_PER_DECADE + 1)

/* For each of 1 us, 10 us, ... 1 s the first GAPS_KEPT gaps of at least this length are kept. */
#define GAPS_CLASSES 7
#define GAPS_KEPT    256

struct gap {
    uint64_t at, ticks; /* since the start; the time of the iteration beyond a typical one */
};

struct gaps_bin {
    uint64_t least; /* ticks of the shortest gap that belongs to it */
    uint64_t count, ticks;
};

struct gaps_first {
    size_t n;
    struct gap gap[GAPS_KEPT];
};

struct gaps {
    uint64_t typical;      /* ticks per iteration */
    uint64_t threshold;    /* an iteration of at least this many ticks is a gap */
    uint64_t watched;      /* ticks, including gaps; set by the caller */
    uint64_t count, ticks; /* of all gaps */
    struct gap longest;
    struct gaps_bin bin[GAPS_BINS];
    struct gaps_first first[GAPS_CLASSES];
};

/* Returns the shortest length of a bin, in ns. */
uint64_t gaps_bin_ns(unsigned bin);

/* "1 us", "10 us", ... "1 s": the shortest length of a class. */
extern const char *const gaps_class_names[GAPS_CLASSES];

/* typical: median ticks of an undisturbed iteration; hz: of the TSC. */
void gaps_init(struct gaps *g, uint64_t typical, double hz);

/* Adds an iteration of g->threshold ticks or more that began `at` ticks after the start. */
void gaps_add(struct gaps *g, uint64_t at, uint64_t iteration);

/* Returns the number of gaps of at least the length of a class. */
static inline uint64_t gaps_in_class(const struct gaps *g, unsigned class)
{
    uint64_t n = 0;

    for (unsigned i = class * GAPS_PER_DECADE; i < GAPS_BINS; i++)
        n += g->bin[i].count;
    return n;
}

/*
 * Returns the longest wait that remains if the worst moments are left out. A moment of the watched
 * time that lies in a gap waits until the end of the gap; any other moment does not wait. `share`
 * is the share of the moments that are kept: 0.99999. So the wait w is the smallest at which the
 * sum of (length - w) over all gaps longer than w is at most (1 - share) of the watched time. In
 * ticks; within a bin all gaps count as their mean. 0: less than the shortest gap.
 */
double gaps_wait(const struct gaps *g, double share);

/*
 * Finds the periods of gaps: of a firmware's timer, of a kernel's tick, of both at once.
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
