/*
 * One figure from a few measurements of it, each at another placement of code and data. Few are
 * enough to see whether they agree, but not for the intervals of ranks.h. Pure; uses SSE: not for
 * boot/ or trap handlers. UNKNOWN is NaN (known.h).
 */
#ifndef LIB_STATS_AGREE_H
#define LIB_STATS_AGREE_H

#include <stdbool.h>
#include <stddef.h>

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
struct agreed agree_minus(struct agreed a, struct agreed b);

/* Returns whether the range is at most AGREE_SHARE of the figure or AGREE_WIDTH wide. */
bool agree_is_narrow(struct agreed a);

/* Returns whether they differ by more than AGREE_SHARE of the larger, and their ranges are apart.
 * False if either is unknown. */
bool agree_differ(struct agreed a, struct agreed b);

/* Returns the largest distance from the value to an end; UNKNOWN with fewer than two. */
double agree_error(struct agreed a);

#endif
