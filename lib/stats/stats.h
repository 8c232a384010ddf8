/*
 * Statistics of a row's samples. docs/window.md: no trimming; disturbed windows are counted and
 * stay in the histogram; quantiles are Hyndman-Fan type 7 (the default of numpy and R); the
 * standard deviation divides by n-1; MAD is the plain median of |x - median|, not scaled.
 */
#ifndef LIB_STATS_STATS_H
#define LIB_STATS_STATS_H

#include <stddef.h>
#include <stdint.h>

struct statistics {
    size_t n;
    uint64_t min, max;
    double p25, median, p75, p99, mean, sd, mad;
};

void stats_sort(uint64_t *x, size_t n); /* ascending, in place, O(n log n) at worst, no recursion */
/* Returns the type 7 quantile, q in 0..1, of n >= 1 ascending values. */
double stats_quantile(const uint64_t *sorted, size_t n, double q);
/* Summarises n ascending values that are less than 2^62 apart. `scratch` has room for n; its
 * content is lost. n = 0: all zero; n = 1: sd 0. */
struct statistics stats_of(const uint64_t *sorted, size_t n, uint64_t *scratch);

struct bin {
    uint64_t value, count;
};
/* docs/window.md "Disturbed windows": x is disturbed above median + max(3 step, 15 MAD, 5% of the
 * median). */
double stats_disturbed_above(const struct statistics *s, double step);
/* Returns the greatest value that is in the state of the smallest of n >= 1 ascending values: 3%
 * and a step above the second smallest, since the smallest may be an outlier. */
static inline double stats_other_state_above(const uint64_t *sorted, size_t n, double step)
{
    return (double)sorted[n > 1] * 1.03 + step;
}
/*
 * Returns the same limit for n >= 1 ascending values, except that a level which at least 5% of them
 * share, and at least three, is not a disturbance: a body with two costs has two levels
 * (docs/window.md "Disturbed windows"). They are a level if their MAD is at most a step, or at most
 * 2% of their median. `scratch` as for stats_of.
 */
double stats_above_levels(const uint64_t *sorted, size_t n, double step, uint64_t *scratch);

/*
 * docs/window.md "The step": the largest integer up to 512 that divides at least 99.9% of the
 * deltas; if that integer is 1, the peak of the mean of cos(2 pi t / s) over real s in 2..512 if
 * that peak is above 0.9 (a scaled TSC); else 1. step.c has the definition and the safeguards.
 * deltas need not be sorted; zeros are not counted, since everything divides them. Takes about 12
 * KiB of stack.
 */
double stats_step(const uint64_t *deltas, size_t n);

/* Returns the median of n >= 1 figures: the mean of the middle two if n is even. Sorts them in n^2
 * steps, so n should be small. */
double median(double *x, size_t n);

/*
 * Mean, variance and lag-1 correlation of a stream, one value at a time, nothing stored. Updates
 * around the running mean (Welford 1962), so that a small spread far from zero keeps its digits. A
 * zeroed struct is an empty stream.
 */
struct moments {
    uint64_t n;
    double mean;    /* 0 if n is 0 */
    double squares; /* the sum of (x - mean)^2 */
};

void moments_add(struct moments *m, double x);
/* Divides by n-1. NaN if n < 2: not known. */
double moments_variance(const struct moments *m);
double moments_sd(const struct moments *m);

struct lag1 {
    struct moments all;
    double first, last;
    double products; /* the sum of (x[i] - mean)(x[i+1] - mean) */
};

void lag1_add(struct lag1 *l, double x);
/* Returns products / squares, in -1 .. 1; 0 with fewer than two values or if all are equal. For n
 * independent values it is about -1/n, with a standard deviation of about 1/sqrt(n). */
double lag1_correlation(const struct lag1 *l);

#endif
