#include "lib/stats/literature.h"
#include "lib/stats/mathx.h"

bool kbest_add(struct kbest *b, uint64_t ticks)
{
    b->taken++;
    unsigned at = b->held;
    if (b->held < b->k)
        b->held++;
    else if (ticks < b->smallest[at - 1])
        at--; /* replaces the largest */
    else
        at = b->k;
    if (at < b->k) {
        for (; at > 0 && b->smallest[at - 1] > ticks; at--)
            b->smallest[at] = b->smallest[at - 1];
        b->smallest[at] = ticks;
    }
    b->converged = b->held == b->k &&
                   (double)b->smallest[b->k - 1] <= (1 + b->epsilon) * (double)b->smallest[0];
    return !b->converged && b->taken < b->max;
}

#define SQRT_HALF 0.707106781186547524
/* Near the clock's resolution a stretch may read 0, so n grows by at most this factor. */
#define GROWTH_MOST 16

/* Returns the n that should last for the target. The last reading was below target / sqrt(2), so
 * the result is at least sqrt(2) times the last n. In floating point, so that nothing overflows. */
static uint64_t grown(const struct adaptive *a)
{
    double n = (double)a->n, aim = n * GROWTH_MOST;

    if (a->last * GROWTH_MOST > a->target)
        aim = n * (a->target / a->last);
    /* A double below 2^63 fits into 64 bits; `most` may round up to 2^64. */
    if (aim >= (double)a->most || aim >= 0x1p63)
        return a->most;
    uint64_t next = (uint64_t)aim;
    next -= next % a->grain;
    if (next > a->n)
        return next;
    return a->most - a->n > a->grain ? a->n + a->grain : a->most;
}

enum adaptive_state adaptive_add(struct adaptive *a, bool valid, double seconds)
{
    if (!valid) {
        if (++a->failed >= ADAPTIVE_TRIES)
            a->state = ADAPTIVE_NO_CLOCK;
        return a->state;
    }
    a->failed = 0;
    a->last = seconds;
    if (seconds >= a->target * SQRT_HALF)
        a->state = ADAPTIVE_DONE;
    else if (a->n >= a->most)
        a->state = ADAPTIVE_MOST;
    else
        a->n = grown(a);
    return a->state;
}

#define F_PROBABILITY    0.999  /* docs/literature.md */
#define LAG1_PROBABILITY 0.9995 /* two-sided 99.9%, as strict as the F bound */
/* The limit of dist_f; a larger value would move the bound by less than 1e-3 of its value. */
#define DF_MOST 1e9

void ensemble_start(struct ensemble *e, uint64_t size)
{
    *e = (struct ensemble){.size = size, .least = UINT64_MAX, .now_least = UINT64_MAX};
}

static void close_ensemble(struct ensemble *e)
{
    moments_add(&e->means, e->now.all.mean);
    moments_add(&e->variances, moments_variance(&e->now.all));
    moments_add(&e->minima, (double)e->now_least);
    if (e->now_least < e->least)
        e->least = e->now_least;
    if (e->now_least > e->most_of_minima)
        e->most_of_minima = e->now_least;
    if (e->now_most - e->now_least > e->deviation_most)
        e->deviation_most = e->now_most - e->now_least;
    e->products += e->now.products;
    e->squares += e->now.all.squares;
    e->now = (struct lag1){0};
    e->now_least = UINT64_MAX;
    e->now_most = 0;
}

void ensemble_add(struct ensemble *e, uint64_t ticks)
{
    lag1_add(&e->now, (double)ticks);
    if (ticks < e->now_least)
        e->now_least = ticks;
    if (ticks > e->now_most)
        e->now_most = ticks;
    if (e->now.all.n >= e->size)
        close_ensemble(e);
}

/* For independent samples about their ensemble's mean, E(products) / E(squares) is -1/N. */
static double lag1(const struct ensemble *e)
{
    return e->squares > 0 ? e->products / e->squares + 1 / (double)e->size : 0;
}

/* An exponential distribution's kurtosis is 9, so the variance of N such samples has a variance of
 * about (9 - 1) / N of its square. */
#define OF_VARIANCES 8

/* Tests whether the ensembles scatter alike. An ensemble with an interrupt does not. */
static void judge_variances(const struct ensemble *e, double step, struct ensemble_result *r)
{
    double n = (double)e->size, m = (double)r->ensembles;
    double chance = r->mean_variance * r->mean_variance * OF_VARIANCES / (n - 1);

    r->variance_f = r->variance_of_variances / chance;
    r->variance_f_bound = dist_f(F_PROBABILITY, m - 1, n - 1);
    r->same_variance = r->variance_of_variances <= step * step * step * step ||
                       r->variance_f <= r->variance_f_bound;
}

static void judge(const struct ensemble *e, double step, struct ensemble_result *r)
{
    double m = (double)r->ensembles, n = (double)e->size, within = m * (n - 1);

    r->same_minimum = (double)r->range_of_minima <= step;
    judge_variances(e, step, r);
    r->f = r->variance_of_means / (r->mean_variance / n);
    r->f_bound = dist_f(F_PROBABILITY, m - 1, within < DF_MOST ? within : DF_MOST);
    bool one_step = (double)(r->largest_deviation + r->range_of_minima) <= step;
    r->same_mean = one_step || r->variance_of_means == 0 || r->f <= r->f_bound;
    r->lag1_bound = dist_normal(LAG1_PROBABILITY) / mathx_sqrt(m * n);
    r->uncorrelated = one_step || (r->lag1 <= r->lag1_bound && -r->lag1 <= r->lag1_bound);
    r->judged = true;
    r->ergodic = r->same_minimum && r->same_variance && r->same_mean && r->uncorrelated;
}

struct ensemble_result ensemble_judge(const struct ensemble *e, double step)
{
    struct ensemble_result r = {
        .ensembles = e->means.n,
        .least = e->least,
        .range_of_minima = e->means.n ? e->most_of_minima - e->least : 0,
        .largest_deviation = e->deviation_most,
        .mean = e->means.mean,
        .mean_variance = e->variances.mean,
        .variance_of_variances = moments_variance(&e->variances),
        .variance_of_minima = moments_variance(&e->minima),
        .variance_of_means = moments_variance(&e->means),
        .f = UNKNOWN,
        .f_bound = UNKNOWN,
        .variance_f = UNKNOWN,
        .variance_f_bound = UNKNOWN,
        .lag1 = lag1(e),
        .lag1_bound = UNKNOWN,
    };

    if (r.ensembles > 1)
        judge(e, step, &r);
    return r;
}

static unsigned spurious(const uint64_t *least, unsigned points)
{
    unsigned n = 0;

    for (unsigned i = 1; i < points; i++)
        n += least[i] < least[i - 1] && least[i - 1] < UINT64_MAX;
    return n;
}

struct regression regress(const uint64_t *least, unsigned points, unsigned step, double unit)
{
    struct regression r = {0, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, spurious(least, points)};
    struct moments x = {0}, y = {0};
    double products = 0, missed = 0;

    for (unsigned i = 0; i < points; i++)
        if (least[i] < UINT64_MAX) {
            moments_add(&x, (double)i * step);
            moments_add(&y, (double)least[i] / unit);
        }
    if (x.n < 3 || !(unit > 0))
        return r;
    for (unsigned i = 0; i < points; i++)
        if (least[i] < UINT64_MAX)
            products += ((double)i * step - x.mean) * ((double)least[i] / unit - y.mean);
    r.n = (unsigned)x.n;
    r.slope = products / x.squares;
    r.intercept = y.mean - r.slope * x.mean;
    r.residual_max = 0;
    for (unsigned i = 0; i < points; i++) {
        double off = (double)least[i] / unit - (r.intercept + r.slope * i * step);
        if (least[i] == UINT64_MAX)
            continue;
        missed += off * off;
        r.residual_max = mathx_larger(r.residual_max, mathx_size(off));
    }
    if (y.squares > 0)
        r.r2 = 1 - missed / y.squares;
    return r;
}
