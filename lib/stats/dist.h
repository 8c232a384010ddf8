/*
 * Quantiles of the normal, Student's and Fisher's distributions, from the integrals: no table, no
 * libm. Accurate to 1e-9 of their value for tails down to 1e-12. p is the probability below: 0 < p
 * < 1 (0 and 1 give the ends of the range), else NaN. Degrees of freedom need not be whole: 1 to
 * 1e9, else NaN. A call costs some ten evaluations of a continued fraction, whose length grows with
 * the root of the degrees of freedom. Uses SSE: not for boot/ or trap handlers.
 */
#ifndef LIB_STATS_DIST_H
#define LIB_STATS_DIST_H

double dist_normal(double p);
double dist_t(double p, double df);
double dist_f(double p, double df1, double df2);

/* Returns the regularised incomplete beta function I_x(a, b) for a, b >= 0.5. y is 1 - x, passed
 * separately since one of them may be too near to 1 to give the other. */
double dist_beta(double a, double b, double x, double y);

#endif
