/*
 * The few functions of <math.h> that the statistics need, for a program without libm. They use
 * SSE2: not for boot/ or trap handlers. None sets errno or raises a trap.
 */
#ifndef LIB_MATHX_H
#define LIB_MATHX_H

/* The square root, correctly rounded; NaN below zero. */
double mathx_sqrt(double x);
/* The largest integer that is not above x, and the integer nearest to x (a half goes up). */
double mathx_floor(double x);
double mathx_nearest(double x);
/* cos(2 pi x): the angle in turns, so that the reduction is exact. Error below 1e-15 for any |x| <
 * 2^51. */
double mathx_cos_turns(double x);

#endif
