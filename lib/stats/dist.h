/*
 * Quantiles of the normal, Student's and Fisher's distributions, from the integrals: no table, no
 * libm. Accurate to 1e-9 of their value for tails down to 1e-12. p is the probability below: 0 < p
 * < 1 (0 and 1 give the ends of the range), else NaN. Degrees of freedom need not be whole: 1 to
 * 1e9, else NaN. A call costs some ten evaluations of a continued fraction, whose length grows with
 * the root of the degrees of freedom.
 */
#ifndef LIB_STATS_DIST_H
#define LIB_STATS_DIST_H

#include <stddef.h>

double dist_normal(double p);
double dist_t(double p, double df);
double dist_f(double p, double df1, double df2);

/* Returns the regularised incomplete beta function I_x(a, b) for a, b >= 0.5. y is 1 - x, passed
 * separately since one of them may be too near to 1 to give the other. */
double dist_beta(double a, double b, double x, double y);

/*
 * Intervals by order statistics. They assume only that the values are drawn independently, not how
 * they are distributed. x(k) is the k-th smallest of n values.
 */

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
