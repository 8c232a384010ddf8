#include "lib/stats/ensemble.h"
#include "lib/stats/dist.h"
#include "lib/stats/known.h"
#include "lib/stats/mathx.h"

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
