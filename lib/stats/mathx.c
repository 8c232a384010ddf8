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

/* --- distributions ---------------------------------------------------------------------------- */

#define SQRT_TWO_PI 2.506628274631000502416
#define DF_MOST     1e9
#define STEPS_MOST  200     /* of the search for a root; about ten are usual */
#define TERMS_MOST  200000  /* of the continued fraction: about 6 sqrt(df/2) at df = 1e9 */
#define EPSILON     0x1p-52 /* of a double */
#define ROOT_NEAR   1e-13
#define NORMAL_MOST 39.0  /* the tail beyond is below the smallest double */
#define LOG_F_MOST  650.0 /* e^650, its inverse and 1e9 times either are doubles */

/* A tail's probability at u, falling, and its derivative with respect to u. */
struct tail {
    double value, slope;
};

/* Returns the u in low .. high at which the tail is q: Newton's method on the tail's logarithm,
 * which is nearly straight far out, with bisection if a step would leave the bracket. */
static double find_root(struct tail (*at)(double u, const double *df), const double *df, double q,
                        double low, double high)
{
    double u = low > -1 ? low : 0, log_q = mathx_log(q);

    for (int i = 0; i < STEPS_MOST; i++) {
        struct tail t = at(u, df);
        if (t.value > q)
            low = u;
        else
            high = u;
        double next = u - (mathx_log(t.value) - log_q) * t.value / t.slope;
        if (!(next > low && next < high)) /* NaN too: a tail of 0 */
            next = low + (high - low) / 2;
        double moved = next > u ? next - u : u - next;
        u = next;
        if (moved < ROOT_NEAR)
            break;
    }
    return u;
}

/* P(Z > z) for z >= 0: a series near zero, and farther out the continued fraction of Mills' ratio
 * (Abramowitz and Stegun 26.2.11 and 26.2.14). */
static struct tail normal_tail(double z, const double *df)
{
    (void)df;
    double density = mathx_exp(-z * z / 2) / SQRT_TWO_PI;
    if (z < 3) {
        double term = z, sum = z;
        for (int k = 3; term > sum * EPSILON; k += 2) {
            term *= z * z / k;
            sum += term;
        }
        return (struct tail){0.5 - density * sum, -density};
    }
    double below = z;
    for (int k = 60; k >= 1; k--) /* from z = 3 on, 60 levels leave less than 1e-20 */
        below = z + k / below;
    return (struct tail){density / below, -density};
}

/* ln Gamma(z) minus Stirling's (z - 1/2) ln z - z + ln(2 pi)/2: its asymptotic series from 10 on,
 * and the recurrence below 10. */
static double stirling_rest(double z)
{
    double rest = 0;

    for (; z < 10; z++)
        rest += (z + 0.5) * mathx_log1p_rest(1 / z) + 0.5 / z;
    double v = 1 / (z * z);
    /* B(2k) / (2k (2k - 1)): Abramowitz and Stegun 6.1.41. */
    return rest +
           (1.0 / 12 -
            v * (1.0 / 360 -
                 v * (1.0 / 1260 - v * (1.0 / 1680 - v * (1.0 / 1188 - v * 691.0 / 360360))))) /
               z;
}

/* log(1 + u) - u; `whole` is 1 + u, passed separately for u near -1. */
static double log_rest(double u, double whole)
{
    return u < -0.3 ? mathx_log(whole) - u : mathx_log1p_rest(u);
}

/*
 * x^a y^b / B(a, b). With a and b in the millions the powers and the Gammas overflow, although they
 * cancel; so each is taken relative to its value at x = a / (a + b), where the terms linear in the
 * distance from there sum to zero (after Loader, "Fast and Accurate Computation of Binomial
 * Probabilities", 2000).
 */
static double beta_front(double a, double b, double x, double y)
{
    double away = x * b - y * a, sum = a + b;
    double power = a * log_rest(away / a, x * (sum / a)) + b * log_rest(-away / b, y * (sum / b));
    double stirling = stirling_rest(sum) - stirling_rest(a) - stirling_rest(b);

    return mathx_exp(power + stirling) * mathx_sqrt(a / sum * b / TWO_PI);
}

/* The continued fraction of I_x(a, b) (Abramowitz and Stegun 26.5.8), by Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
    double c = 1, d = 0, value = 1;

    for (int n = 1; n < TERMS_MOST; n++) {
        double m = n / 2, at = a + n, term; /* m is whole */
        if (n % 2)
            term = -(a + m) / (at - 1) * ((a + b + m) / at) * x;
        else
            term = m / (at - 1) * ((b - m) / at) * x;
        d = 1 / (1 + term * d);
        c = 1 + term / c;
        double factor = c * d;
        value *= factor;
        if (factor - 1 < EPSILON && 1 - factor < EPSILON)
            break;
    }
    return 1 / value;
}

static double beta_of_front(double a, double b, double x, double y, double front)
{
    /* The fraction converges fast on its own side of the mean. */
    if (x < (a + 1) / (a + b + 2))
        return front / a * beta_fraction(a, b, x);
    return 1 - front / b * beta_fraction(b, a, y);
}

double dist_beta(double a, double b, double x, double y)
{
    if (!(x > 0))
        return 0;
    if (!(y > 0))
        return 1;
    return beta_of_front(a, b, x, y, beta_front(a, b, x, y));
}

/* P(F > e^u), and its derivative with respect to u. */
static struct tail f_tail(double u, const double *df)
{
    double a = df[0] / 2, b = df[1] / 2, ratio = df[1] / df[0] * mathx_exp(-u);
    double x = 1 / (1 + ratio), y = 1 / (1 + 1 / ratio), front = beta_front(a, b, x, y);

    return (struct tail){beta_of_front(b, a, y, x, front), -front};
}

static bool in_range(double df)
{
    return df >= 1 && df <= DF_MOST;
}

/* Returns the quantile with these two probabilities; the smaller one has the digits. */
static double f_quantile(double below, double above, double df1, double df2)
{
    if (above <= below) {
        const double df[2] = {df1, df2};
        return above > 0 ? mathx_exp(find_root(f_tail, df, above, -LOG_F_MOST, LOG_F_MOST))
                         : __builtin_inf();
    }
    const double df[2] = {df2, df1};
    return below > 0 ? mathx_exp(-find_root(f_tail, df, below, -LOG_F_MOST, LOG_F_MOST)) : 0;
}

double dist_f(double p, double df1, double df2)
{
    if (!(p >= 0 && p <= 1) || !in_range(df1) || !in_range(df2))
        return UNKNOWN;
    return f_quantile(p, 1 - p, df1, df2);
}

double dist_t(double p, double df)
{
    if (!(p >= 0 && p <= 1) || !in_range(df))
        return UNKNOWN;
    /* t^2 has Fisher's distribution with (1, df); both of t's tails lie above it. */
    double outside = 2 * (p < 0.5 ? p : 1 - p), inside = p < 0.5 ? 1 - outside : 2 * p - 1;
    double t = mathx_sqrt(f_quantile(inside, outside, 1, df));
    return p < 0.5 ? -t : t;
}

double dist_normal(double p)
{
    if (!(p >= 0 && p <= 1))
        return UNKNOWN;
    double tail = p < 0.5 ? p : 1 - p;
    if (tail == 0.5) /* only the rule of ROOT_NEAR would leave 1e-14 here */
        return 0;
    double z = tail > 0 ? find_root(normal_tail, 0, tail, 0, NORMAL_MOST) : __builtin_inf();
    return p < 0.5 ? -z : z;
}
