#include "lib/mathx.h"
#include <stdint.h>

#define TWO_PI       6.283185307179586476925
#define ALL_INTEGERS 4503599627370496.0 /* 2^52: from here on a double has no fraction */

double mathx_sqrt(double x)
{
    double root;
    /* The instruction itself: the compiler's builtin may call libm's sqrt to set errno. */
    __asm__("sqrtsd %1, %0" : "=x"(root) : "x"(x));
    return root;
}

double mathx_floor(double x)
{
    if (!(x > -ALL_INTEGERS && x < ALL_INTEGERS)) /* NaN too */
        return x;
    double towards_zero = (double)(int64_t)x;
    return towards_zero > x ? towards_zero - 1 : towards_zero;
}

double mathx_nearest(double x)
{
    double below = mathx_floor(x);
    return x - below >= 0.5 ? below + 1 : below;
}

/* Taylor series on 0 .. pi/4, where the first term left out is below 1e-17. */
static double cos_small(double a)
{
    double z = a * a, sum = 1, term = 1;
    for (int k = 1; k <= 15; k += 2) {
        term *= -z / (k * (k + 1));
        sum += term;
    }
    return sum;
}

static double sin_small(double a)
{
    double z = a * a, sum = a, term = a;
    for (int k = 2; k <= 16; k += 2) {
        term *= -z / (k * (k + 1));
        sum += term;
    }
    return sum;
}

double mathx_cos_turns(double x)
{
    double r = x - mathx_nearest(x);
    if (r < 0)
        r = -r;
    double sign = 1;
    if (r > 0.25) {
        r = 0.5 - r;
        sign = -1;
    }
    return sign * (r > 0.125 ? sin_small(TWO_PI * (0.25 - r)) : cos_small(TWO_PI * r));
}
