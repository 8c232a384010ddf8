#include "lib/stats/shared.h"
#include "lib/stats/dist.h"
#include "lib/stats/known.h"
#include "lib/stats/mathx.h"
#include "lib/stats/moments.h"

#define NOMINAL 0.995  /* two-sided 99%: docs/method.md */
#define MAD_SD  1.4826 /* a normal distribution's standard deviation over its MAD */
#define FEWEST  2      /* values that have a spread */

/* Ascending, in place: Shell sort, some 1000 values at the most. */
static void sort(double *x, size_t n)
{
    for (size_t gap = n / 2; gap > 0; gap /= 2)
        for (size_t i = gap; i < n; i++) {
            double v = x[i];
            size_t j = i;
            for (; j >= gap && x[j - gap] > v; j -= gap)
                x[j] = x[j - gap];
            x[j] = v;
        }
}

/* Hyndman-Fan type 7, q within 0 to 1. */
static double quantile(const double *sorted, size_t n, double q)
{
    double at = q * (double)(n - 1);
    size_t i = (size_t)at;
    return i + 1 < n ? sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i]) : sorted[n - 1];
}

/* Of ascending values, which are lost. */
static double mad(double *x, size_t n, double middle)
{
    for (size_t i = 0; i < n; i++)
        x[i] = x[i] < middle ? middle - x[i] : x[i] - middle;
    sort(x, n);
    return quantile(x, n, 0.5);
}

static double deviation(const double *x, size_t n)
{
    struct moments all = {0};
    for (size_t i = 0; i < n; i++)
        moments_add(&all, x[i]);
    return moments_sd(&all);
}

static double root_of_squares(double a, double b)
{
    return mathx_sqrt(a * a + b * b);
}

/* Of n quiet values, which are lost. */
static void take_interval(double *x, size_t n, double kappa, struct shared_figure *f)
{
    double z = dist_normal(NOMINAL), root = mathx_sqrt(2 / (double)n), d = z * root / 2;
    double low = quantile(x, n, d < 0.5 ? 0.5 - d : 0),
           high = quantile(x, n, d < 0.5 ? 0.5 + d : 1);
    double below = f->theta - low, above = high - f->theta;
    if (d >= 0.5) { /* so few that the ends are no bounds: by Student's t as well */
        double sd = deviation(x, n), robust = MAD_SD * mad(x, n, f->theta); /* can be 0 by chance */
        double t = dist_t(NOMINAL, (double)n - 1) * root * (robust > sd ? robust : sd);
        below = t > below ? t : below;
        above = t > above ? t : above;
    }
    double boot = z * kappa * f->theta * mathx_sqrt(2);
    f->lo = f->theta - root_of_squares(below, boot);
    f->hi = f->theta + root_of_squares(above, boot);
}

/* The known values, ascending: the quiet alone or all of them. Returns how many. */
static size_t gather(const double *value, const bool *shared, size_t n, bool all, double *out)
{
    size_t m = 0;
    for (size_t i = 0; i < n; i++)
        if (is_known(value[i]) && (all || !shared[i]))
            out[m++] = value[i];
    sort(out, m);
    return m;
}

/* The interval must hold what was seen in either state. */
static void hold_both(const double *sorted, size_t n, struct shared_figure *f)
{
    f->theta = quantile(sorted, n, 0.5);
    if (!(f->lo <= sorted[0]))
        f->lo = sorted[0];
    if (!(f->hi >= sorted[n - 1]))
        f->hi = sorted[n - 1];
}

struct shared_figure shared_figure(const double *value, const bool *shared, size_t n, double least,
                                   double kappa, double *scratch)
{
    struct shared_figure f = {.share = UNKNOWN, .theta = UNKNOWN, .lo = UNKNOWN, .hi = UNKNOWN};
    f.quiet = gather(value, shared, n, false, scratch);
    if (f.quiet >= FEWEST) {
        f.theta = quantile(scratch, f.quiet, 0.5);
        take_interval(scratch, f.quiet, kappa, &f);
    }
    f.values = gather(value, shared, n, true, scratch);
    if (f.values == 0)
        return f;
    f.share = 1 - (double)f.quiet / (double)f.values;
    f.judged = f.quiet >= FEWEST && (double)f.quiet >= least * (double)f.values;
    if (!f.judged)
        hold_both(scratch, f.values, &f);
    return f;
}
