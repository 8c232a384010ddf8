#include "lib/stats/estimate.h"
#include "lib/stats/dist.h"
#include "lib/stats/known.h"
#include "lib/stats/mathx.h"
#include "lib/stats/moments.h"
#include <stdbool.h>

#define NOMINAL  0.995 /* two-sided 99%: docs/method.md */
#define RHO_MOST 0.95  /* keeps the factor on se below 6.3 */

static double body(const struct estimate_blocks *k, size_t i)
{
    if (!k->b2)
        return k->b[i] - k->e[i];
    return k->b2[i] - k->b[i] - (k->e2 ? k->e2[i] - k->e[i] : 0);
}

/* What a body is divided by: the ruler's growth, or 1 for an answer in ticks. */
static double unit(const struct estimate_blocks *k, size_t i, bool ruler)
{
    return ruler ? k->r2[i] - k->r[i] : 1;
}

struct sums {
    double body, unit;
};

static struct sums sum(const struct estimate_blocks *k, bool ruler)
{
    struct sums all = {0, 0};
    for (size_t i = 0; i < k->m; i++) {
        all.body += body(k, i);
        all.unit += unit(k, i, ruler);
    }
    return all;
}

/* From blocks to one operation. */
static double scale(const struct estimate_blocks *k, bool ruler)
{
    return (ruler ? (double)k->adds : 1) / (double)k->ops;
}

struct estimate_part estimate_stream(const struct lag1 *values)
{
    struct estimate_part part = {values->all.n ? values->all.mean : UNKNOWN, UNKNOWN, 0};
    if (values->all.n < 2)
        return part;
    part.se = moments_sd(&values->all) / mathx_sqrt((double)values->all.n);
    if (values->all.n > 2)
        part.rho = lag1_correlation(values);
    double rho = part.rho < RHO_MOST ? part.rho : RHO_MOST;
    if (rho > 0)
        part.se *= mathx_sqrt((1 + rho) / (1 - rho));
    return part;
}

static struct estimate_part jackknife(const struct estimate_blocks *k, bool ruler)
{
    struct estimate_part part = {UNKNOWN, UNKNOWN, 0};
    struct sums all = sum(k, ruler);
    struct lag1 pseudo = {0};
    double m = (double)k->m;
    if (!(all.unit > 0))
        return part;
    part.value = scale(k, ruler) * all.body / all.unit;
    if (k->m < 2)
        return part;

    for (size_t i = 0; i < k->m; i++) {
        double left = all.unit - unit(k, i, ruler);
        if (!(left > 0)) /* one block is the whole ruler: nothing can be said of its spread */
            return part;
        double without = scale(k, ruler) * (all.body - body(k, i)) / left;
        lag1_add(&pseudo, m * part.value - (m - 1) * without);
    }
    struct estimate_part spread = estimate_stream(&pseudo);
    part.se = spread.se;
    part.rho = spread.rho;
    return part;
}

struct estimate_placement estimate_placement(const struct estimate_blocks *blocks)
{
    struct estimate_placement p = {.cycles = {UNKNOWN, UNKNOWN, 0}};
    p.ticks = jackknife(blocks, false);
    if (blocks->r && blocks->r2)
        p.cycles = jackknife(blocks, true);
    return p;
}

void estimate_block_values(const struct estimate_blocks *blocks, double *out)
{
    bool ruler = blocks->r && blocks->r2;
    double per_block = sum(blocks, ruler).unit / (double)blocks->m;
    for (size_t i = 0; i < blocks->m; i++)
        out[i] = scale(blocks, ruler) * body(blocks, i) / per_block;
}

struct estimate estimate_over(const double *theta, size_t count, double se, size_t m, double kappa)
{
    struct moments all = {0};
    for (size_t i = 0; i < count; i++)
        moments_add(&all, theta[i]);
    struct estimate e = {count, all.mean, moments_sd(&all), UNKNOWN};

    double drawn; /* what the draw of placements, or of blocks, adds */
    if (count > 1)
        drawn = dist_t(NOMINAL, (double)count - 1) * e.s * mathx_sqrt(2 / (double)count);
    else if (m > 1)
        drawn = dist_t(NOMINAL, (double)m - 1) * se * mathx_sqrt(2);
    else
        return e;
    double boot = dist_normal(NOMINAL) * kappa * e.theta * mathx_sqrt(2);
    e.half = mathx_sqrt(drawn * drawn + boot * boot);
    return e;
}

double estimate_half(double se, size_t m)
{
    return m > 1 ? dist_t(NOMINAL, (double)m - 1) * se : UNKNOWN;
}

double estimate_for_another_boot(double theta, double half, double kappa)
{
    double boot = dist_normal(NOMINAL) * kappa * theta;
    return mathx_sqrt(2 * (half * half + boot * boot));
}

double estimate_kappa(const struct estimate *launches, size_t count)
{
    struct moments theta = {0};
    double within = 0;
    for (size_t i = 0; i < count; i++) {
        moments_add(&theta, launches[i].theta);
        if (launches[i].placements > 1)
            within += launches[i].s * launches[i].s / (double)launches[i].placements;
    }
    if (count < 2 || theta.mean == 0)
        return UNKNOWN;
    double between = moments_variance(&theta) - within / (double)count;
    double mean = theta.mean < 0 ? -theta.mean : theta.mean;
    return between > 0 ? mathx_sqrt(between) / mean : between <= 0 ? 0 : UNKNOWN;
}
