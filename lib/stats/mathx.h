/*
 * The few functions of <math.h> that the statistics need, for a program without libm, and quantiles
 * of distributions. None sets errno or raises a trap.
 */
#ifndef LIB_STATS_MATHX_H
#define LIB_STATS_MATHX_H

#include <stdbool.h>

/* Returns the square root, correctly rounded; NaN below zero. */
double mathx_sqrt(double x);
/* Return the largest integer that is not above x, and the integer nearest to x (a half goes up). */
double mathx_floor(double x);
double mathx_nearest(double x);
/* Returns cos(2 pi x): the angle is in turns, so that the reduction is exact. Error below 1e-15 for
 * any |x| < 2^51. */
double mathx_cos_turns(double x);

/* e^x and the natural logarithm, accurate to 4 units in the last place (exp: to 1e-15 of its value;
 * below 2^-1022 it loses digits as every double does). exp: infinity above 709.78, 0 below -745.2;
 * log: minus infinity at 0, NaN below. */
double mathx_exp(double x);
double mathx_log(double x);
/* Returns log(1 + u) - u for u > -1, which log() loses to cancellation if u is small; -infinity at
 * -1. Accurate to 1e-15 of its value for |u| < 1/3. */
double mathx_log1p_rest(double u);

/*
 * The representation of figures that may be missing:
 * - a double is UNKNOWN (NaN), tested with is_known(), which is false for infinities too;
 * - a frequency, or ticks per core cycle, is 0 (bench/result/facts.h, run_has_hz and _ruler);
 * - a struct that may be missing as a whole has a flag `known`.
 */
#define UNKNOWN __builtin_nan("")

static inline bool is_known(double v)
{
    return v - v == 0;
}

static inline double known_or(double v, double other)
{
    return is_known(v) ? v : other;
}

/* Return |x|; the larger one, ignoring one that is not known. */
static inline double mathx_size(double x)
{
    return x < 0 ? -x : x;
}
static inline double mathx_larger(double a, double b)
{
    return a > b || !is_known(b) ? a : b;
}

/*
 * Quantiles of the normal, Student's and Fisher's distributions, from the integrals: no table, no
 * libm. Accurate to 1e-9 of their value for tails down to 1e-12. p is the probability below: 0 < p
 * < 1 (0 and 1 give the ends of the range), else NaN. Degrees of freedom need not be whole: 1 to
 * 1e9, else NaN. A call costs some ten evaluations of a continued fraction, whose length grows with
 * the root of the degrees of freedom.
 */

double dist_normal(double p);
double dist_t(double p, double df);
double dist_f(double p, double df1, double df2);

/* Returns the regularised incomplete beta function I_x(a, b) for a, b >= 0.5. y is 1 - x, passed
 * separately since one of them may be too near to 1 to give the other. */
double dist_beta(double a, double b, double x, double y);

#endif
