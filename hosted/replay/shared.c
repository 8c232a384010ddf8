#include "hosted/replay/shared.h"
#include "lib/stats/dist.h"
#include "lib/stats/known.h"
#include "lib/stats/mathx.h"
#include "lib/stats/moments.h"

#define NOMINAL 0.995  /* two-sided 99%: docs/method.md */
#define MAD_SD  1.4826 /* a normal distribution's standard deviation over its MAD */

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

/* Whether it is known, and quiet or asked for all the same. */
static bool counts(const struct shared_value *v, bool all)
{
    return is_known(v->value) && (all || !v->shared);
}

/* The quiet values' placements: what those have in common. */
struct placements {
    size_t n;
    double error; /* of the share of the values that lie below theta: its standard error */
    double sd;    /* of the medians of each, or by their MAD where that is more */
};

static bool is_first(const struct shared_value *v, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (counts(&v[k], false) && v[k].placement == v[i].placement)
            return false;
    return true;
}

/* The median of v[first]'s placement; *excess: how many more than half of its values lie above. */
static double median_of_placement(const struct shared_value *v, size_t n, size_t first,
                                  double theta, double *excess, double *scratch)
{
    size_t m = 0;

    *excess = 0;
    for (size_t i = first; i < n; i++) {
        if (!counts(&v[i], false) || v[i].placement != v[first].placement)
            continue;
        *excess += (v[i].value > theta) * 0.5 - (v[i].value < theta) * 0.5;
        scratch[m++] = v[i].value;
    }
    sort(scratch, m);
    return quantile(scratch, m, 0.5);
}

static struct placements look_at_placements(const struct shared_value *v, size_t n,
                                            const struct shared_figure *f, double *scratch)
{
    struct placements p = {0};
    double *medians = scratch + n, squares = 0, excess;

    for (size_t i = 0; i < n; i++) {
        if (!counts(&v[i], false) || !is_first(v, i))
            continue;
        medians[p.n++] = median_of_placement(v, n, i, f->theta, &excess, scratch);
        squares += excess * excess;
    }
    if (p.n < SHARED_PLACEMENTS)
        return p;
    double quiet = (double)f->quiet, groups = (double)p.n;
    double least = 1 / (4 * quiet), clusters = squares * groups / (groups - 1) / (quiet * quiet);
    p.error = mathx_sqrt(clusters > least ? clusters : least);
    sort(medians, p.n);
    double sd = deviation(medians, p.n);
    double robust = MAD_SD * mad(medians, p.n, quantile(medians, p.n, 0.5));
    p.sd = robust > sd ? robust : sd; /* either can be 0 by chance */
    return p;
}

/* Of the quiet values, ascending. */
static void take_interval(const double *x, const struct placements *p, struct shared_figure *f)
{
    double root = mathx_sqrt(2), t = dist_t(NOMINAL, (double)p->n - 1), d = t * root * p->error;
    double below = f->theta - quantile(x, f->quiet, d < 0.5 ? 0.5 - d : 0);
    double above = quantile(x, f->quiet, d < 0.5 ? 0.5 + d : 1) - f->theta;

    if (d >= 0.5) {
        double beyond = t * root * p->sd / mathx_sqrt((double)p->n);
        below = beyond > below ? beyond : below;
        above = beyond > above ? beyond : above;
    }
    f->lo = f->theta - below;
    f->hi = f->theta + above;
}

/* The known values, ascending: the quiet alone or all of them. Returns how many. */
static size_t gather(const struct shared_value *v, size_t n, bool all, double *out)
{
    size_t m = 0;

    for (size_t i = 0; i < n; i++)
        if (counts(&v[i], all))
            out[m++] = v[i].value;
    sort(out, m);
    return m;
}

/* theta and the interval of the quiet values, where there are enough for one. */
static void take_quiet(const struct shared_value *v, size_t n, double *scratch,
                       struct shared_figure *f)
{
    f->quiet = gather(v, n, false, scratch);
    if (f->quiet == 0)
        return;
    f->theta = quantile(scratch, f->quiet, 0.5);
    struct placements p = look_at_placements(v, n, f, scratch);
    f->placements = p.n;
    if (p.n < SHARED_PLACEMENTS)
        return;
    gather(v, n, false, scratch);
    take_interval(scratch, &p, f);
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

struct shared_figure shared_figure(const struct shared_value *v, size_t n, double least,
                                   double *scratch)
{
    struct shared_figure f = {.share = UNKNOWN, .theta = UNKNOWN, .lo = UNKNOWN, .hi = UNKNOWN};

    take_quiet(v, n, scratch, &f);
    f.values = gather(v, n, true, scratch);
    if (f.values == 0)
        return f;
    f.share = 1 - (double)f.quiet / (double)f.values;
    f.judged = f.quiet >= SHARED_FEWEST && f.placements >= SHARED_PLACEMENTS &&
               (double)f.quiet >= least * (double)f.values;
    if (!f.judged)
        hold_both(scratch, f.values, &f);
    return f;
}
