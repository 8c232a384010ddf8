/*
 * The shift between two sets of values (Hodges and Lehmann, "Estimates of location based on rank
 * tests", 1963). Outliers do not move it. Its interval assumes no particular distribution, only
 * that both sets have the same one, shifted.
 */
#ifndef LIB_STATS_SHIFT_H
#define LIB_STATS_SHIFT_H

#include <stdbool.h>
#include <stddef.h>
#include "lib/stats/mathx.h"

#define SHIFT_MOST 16 /* values per set */

struct shift {
    double by;     /* the median of all differences a - b; UNKNOWN: a set is empty */
    double lo, hi; /* its interval; UNKNOWN: too few values for the confidence, or too few rounds */
    bool by_rounds; /* the interval is longer because rounds differ */
};

/* a and b: n and m values, at most SHIFT_MOST each. The interval has at least the two-sided
 * `confidence`, by the exact distribution of Mann and Whitney's U. */
struct shift shift_of(const double *a, size_t n, const double *b, size_t m, double confidence);

/* Returns the largest k for which U of n and m values is below k with a probability of at most
 * (1 - confidence) / 2: the interval goes from the k-th smallest difference to the k-th largest. 0:
 * too few values. */
size_t shift_rank(size_t n, size_t m, double confidence);

/* Values that were measured in rounds: value[i] in round i * rounds / n. UNKNOWN: missing. */
struct shift_set {
    const double *value;
    size_t n, rounds; /* rounds 1: the rounds are not known */
};

/*
 * Returns the shift of values that may have something in common with the others of their round,
 * which the ranks do not allow for. Kruskal and Wallis' H of the rounds, divided by its degrees of
 * freedom, is the variance of a round's mean rank, relative to what independent values have. Where
 * it is q > 1 over both sets, the interval is longer by sqrt(1 + (1 + SHIFT_UNSURE / df) (q - 1)):
 * by sqrt(q) if df is large, and by more if few rounds leave q uncertain. With fewer than
 * SHIFT_ROUNDS the interval is UNKNOWN. Rounds of one value each are independent. docs/figure.md,
 * "The figure", has how often the interval misses.
 */
#define SHIFT_ROUNDS 4
#define SHIFT_UNSURE 12
struct shift shift_over_rounds(const struct shift_set *a, const struct shift_set *b,
                               double confidence);

/*
 * One figure from a few measurements of it, each at another placement of code and data. Few are
 * enough to see whether they agree, but not for the intervals of estimate.h.
 */
#define AGREE_MOST  16
#define AGREE_LEAST 3 /* fewer measurements are not settled */

/* Measurements agree if they differ by at most this share of the figure, or by at most this
 * much. */
#define AGREE_SHARE 0.05
#define AGREE_WIDTH 0.05

struct agreed {
    double value;  /* the median; UNKNOWN: nothing was measured */
    double lo, hi; /* the range of all; from AGREE_TRIM on without the smallest and the largest;
                      UNKNOWN with fewer than two */
    bool settled;  /* there are at least AGREE_LEAST, and the range is narrow */
};
#define AGREE_TRIM 7

/* n is at most AGREE_MOST. The range contains the median of all possible placements with a
 * probability of 1 - 2 P(Bin(n, 1/2) < k), where k is 1, or 2 from AGREE_TRIM on: 87.5% with four
 * and with seven, if placements are independent of each other. */
struct agreed agree(const double *x, size_t n);

/*
 * The same for measurements that something else on the core has disturbed, which only adds time:
 * the figure is the second smallest, since the smallest may be an outlier of the ruler, and the
 * range is that of the three smallest.
 */
struct agreed agree_least(const double *x, size_t n);

/* Returns a - b: the ends are as far apart as those of both together. */
static inline struct agreed agree_minus(struct agreed a, struct agreed b)
{
    return (struct agreed){.value = a.value - b.value,
                           .lo = a.lo - b.hi,
                           .hi = a.hi - b.lo,
                           .settled = a.settled && b.settled};
}

/* Returns whether the range is at most AGREE_SHARE of the figure or AGREE_WIDTH wide. */
static inline bool agree_is_narrow(struct agreed a)
{
    return a.hi - a.lo <= mathx_larger(AGREE_SHARE * mathx_size(a.value), AGREE_WIDTH);
}

/* Returns whether they differ by more than AGREE_SHARE of the larger, and their ranges are apart.
 * False if either is unknown. */
bool agree_differ(struct agreed a, struct agreed b);

/* Returns the largest distance from the value to an end; UNKNOWN with fewer than two. */
double agree_error(struct agreed a);

#endif
