/*
 * Statistics of a row's samples. docs/method.md: no trimming; disturbed windows are counted and
 * stay in the histogram; quantiles are Hyndman-Fan type 7 (numpy's and R's default); the standard
 * deviation divides by n-1; MAD is the plain median of |x - median|, not scaled. Uses SSE: not for
 * boot/ or trap handlers.
 */
#ifndef LIB_STATS_STATS_H
#define LIB_STATS_STATS_H

#include <stddef.h>
#include <stdint.h>

struct summary {
    size_t n;
    uint64_t min, max;
    double p25, median, p75, p99, mean, sd, mad;
};

void stats_sort(uint64_t *x, size_t n); /* ascending, in place, O(n log n) at worst, no recursion */
/* Type 7 quantile, q in 0..1, of n >= 1 ascending values. */
double stats_quantile(const uint64_t *sorted, size_t n, double q);
/* Of n ascending values, less than 2^62 apart; `scratch` has room for n, its content is lost.
 * n = 0: all zero; n = 1: sd 0. */
struct summary stats_summary(const uint64_t *sorted, size_t n, uint64_t *scratch);
double stats_mean(const uint64_t *x, size_t n); /* of any order; 0 where n is 0 */

struct bin {
    uint64_t value, count;
};
/* docs/method.md "Samples": x is disturbed above median + max(3 step, 15 MAD, 5% of the median). */
double stats_disturbed_above(const struct summary *s, double step);
/*
 * The same of n >= 1 ascending values, but that a level which 5% of them share, three at the
 * least, is no disturbance: a body that takes one time or another has two (docs/method.md
 * "Modes"). Theirs is a level if their MAD is a step, or 2% of their median, at the most.
 * `scratch` as for stats_summary.
 */
double stats_above_levels(const uint64_t *sorted, size_t n, double step, uint64_t *scratch);

/*
 * docs/method.md "The step": the largest integer up to 512 that divides at least 99.9% of the
 * deltas; where there is none above 1, the peak of the mean of cos(2 pi t / s) over real s in
 * 2..512 where that peak is above 0.9 (a scaled TSC); else 1. Defined, and its safeguards told, in
 * step.c. deltas need not be sorted; zeros divide by everything and are not counted. Takes about 12
 * KiB of stack.
 */
double stats_step(const uint64_t *deltas, size_t n);

/* The median of n >= 1 figures, which it sorts, in n^2 steps: for a few. The mean of the middle two
 * where n is even. */
double median(double *x, size_t n);

#endif
