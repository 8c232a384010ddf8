/*
 * The shift between two sets of values (Hodges and Lehmann, "Estimates of location based on rank
 * tests", 1963). Outliers do not move it. Its interval assumes no particular distribution, only
 * that both sets have the same one, shifted. Pure; uses SSE: not for boot/ or trap handlers.
 */
#ifndef LIB_STATS_SHIFT_H
#define LIB_STATS_SHIFT_H

#include <stdbool.h>
#include <stddef.h>

#define SHIFT_MOST 16 /* values per set */

struct shift {
    double by;      /* the median of all differences a - b; UNKNOWN: a set is empty */
    double lo, hi;  /* its interval; UNKNOWN: the sets are too small for the level */
    bool by_rounds; /* the interval also contains that of the rounds' means */
};

/* a and b: n and m values, at most SHIFT_MOST each. The interval has at least the two-sided
 * `level`, by the exact distribution of Mann and Whitney's U. */
struct shift shift_of(const double *a, size_t n, const double *b, size_t m, double level);

/* Returns the largest k for which U of n and m values is below k with a probability of at most (1 -
 * level) / 2: the interval goes from the k-th smallest difference to the k-th largest. 0: too few
 * values. */
size_t shift_rank(size_t n, size_t m, double level);

/* Values that were measured in rounds: value[i] in round i * rounds / n. UNKNOWN: missing. */
struct shift_set {
    const double *value;
    size_t n, rounds; /* rounds 1: the rounds are not known */
};

/*
 * Returns the shift of values that may have something in common with the others of their round,
 * which the ranks do not allow for. If rounds seem to differ, or there are fewer than SHIFT_ROUNDS,
 * the interval also contains the shift -+ Student's t of the rounds' means (Welch, 1947). They seem
 * to differ if Kruskal and Wallis' H, summed over both sets, exceeds its quantile at 1 -
 * SHIFT_DIFFER; that happens to one pair in four whose rounds are alike. Rounds of one value each
 * are independent and judged by the ranks. docs/method.md, "The figure", has how often the
 * interval misses.
 */
#define SHIFT_ROUNDS 4
#define SHIFT_DIFFER 0.25
struct shift shift_over_rounds(const struct shift_set *a, const struct shift_set *b, double level);

#endif
