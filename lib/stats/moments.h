/*
 * Mean, variance and lag-1 correlation of a stream, one value at a time, nothing stored. Updates
 * around the running mean (Welford 1962), so that a small spread far from zero keeps its digits. A
 * zeroed struct is an empty stream. Uses SSE: not for boot/ or trap handlers.
 */
#ifndef LIB_STATS_MOMENTS_H
#define LIB_STATS_MOMENTS_H

#include <stdint.h>

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
