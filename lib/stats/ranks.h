/*
 * Intervals by order statistics. They assume only that the values are drawn independently, not how
 * they are distributed. x(k) is the k-th smallest of n values. Pure; uses SSE: not for boot/ or
 * trap handlers.
 */
#ifndef LIB_STATS_RANKS_H
#define LIB_STATS_RANKS_H

#include <stddef.h>

/*
 * A lower bound of the probability that the median of n further values of the same kind lies in
 * [x(k), x(n+1-k)]. Exact for odd n and continuous values; for even n the median is the mean of two
 * values, and this is the confidence of the outer one. It is 1 - 2 P(fewer than k of the x lie
 * below y(j)), j = (n + 1) / 2, where their number is negative hypergeometric (Wilks, "Statistical
 * prediction with special reference to the problem of tolerance limits", 1942). 1 for k = 0;
 * k <= n / 2.
 */
double ranks_confidence(size_t n, size_t k);

/* Returns the probability that the median of all possible values lies in [x(k), x(n+1-k)]: 1 - 2
 * P(Bin(n, 1/2) < k), exact for continuous values. n <= 1000. */
double ranks_median_confidence(size_t n, size_t k);

/* Returns the largest k with ranks_confidence(n, k) >= confidence; 0: n is too small. */
size_t ranks_for(size_t n, double confidence);

#endif
