#include "lib/stats/mathx.h"
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

/* ln 2 in two parts: the first has 32 bits, so that its product with any exponent is exact. */
#define LN2_HIGH  0x1.62e42feep-1
#define LN2_LOW   1.90821492927058770002e-10
#define LN2       0.693147180559945309417
#define SQRT_HALF 0.707106781186547524401
#define EXP_MOST  709.782712893383973096  /* ln of the largest double */
#define EXP_LEAST -745.133219101941108420 /* ln of half the smallest */

union bits {
    double value;
    uint64_t word;
};

/* 2^k for -1022 <= k <= 1023. */
static double power_of_two(int k)
{
    return (union bits){.word = (uint64_t)(k + 1023) << 52}.value;
}

double mathx_exp(double x)
{
    if (x != x)
        return x;
    if (x > EXP_MOST)
        return __builtin_inf();
    if (x < EXP_LEAST)
        return 0;
    double k = mathx_nearest(x / LN2), r = x - k * LN2_HIGH - k * LN2_LOW;
    /* Horner's scheme on the Taylor series; |r| < 0.35: the first term left out is below 1e-17. */
    double sum = 1;
    for (int i = 14; i >= 1; i--)
        sum = 1 + r * sum / i;
    /* In two steps, since 2^k itself may not fit into a double. */
    int half = (int)k / 2;
    return sum * power_of_two(half) * power_of_two((int)k - half);
}

/* atanh(s) - s = s^3/3 + s^5/5 + ...; where |s| <= 0.2, the first term left out is below 1e-17 of
 * it. */
static double atanh_rest(double s)
{
    double z = s * s, sum = 0;

    for (int i = 25; i >= 3; i -= 2)
        sum = sum * z + 1.0 / i;
    return sum * z * s;
}

double mathx_log(double x)
{
    if (!(x > 0))
        return x == 0 ? -__builtin_inf() : __builtin_nan("");
    if (x > 0x1.fffffffffffffp1023)
        return x;
    int k = 0;
    if (x < 0x1p-1022) {
        x *= 0x1p54;
        k = -54;
    }
    union bits m = {x};
    k += (int)(m.word >> 52) - 1023;
    m.word = (m.word & 0xfffffffffffffu) | (uint64_t)1023 << 52;
    if (m.value > 2 * SQRT_HALF) {
        m.value /= 2;
        k++;
    }
    double u = m.value - 1, s = u / (u + 2); /* log m = 2 atanh s, |s| < 0.172 */
    /* 2 s = u - s u: u is exact, so the largest term of the sum has no error. */
    return k * LN2_HIGH + (u - (s * u - (2 * atanh_rest(s) + k * LN2_LOW)));
}

double mathx_log1p_rest(double u)
{
    if (u < -1.0 / 3 || u > 0.5)
        return mathx_log(1 + u) - u;
    double s = u / (2 + u); /* |s| <= 0.2; log(1 + u) = 2 atanh s and 2 s - u = -s u */
    return 2 * atanh_rest(s) - s * u;
}
