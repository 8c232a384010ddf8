#include "lib/stats/moments.h"
#include "lib/stats/known.h"
#include "lib/stats/mathx.h"

void moments_add(struct moments *m, double x)
{
    double away = x - m->mean;

    m->n++;
    m->mean += away / (double)m->n;
    m->squares += away * (x - m->mean);
}

double moments_variance(const struct moments *m)
{
    return m->n > 1 ? m->squares / (double)(m->n - 1) : UNKNOWN;
}

double moments_sd(const struct moments *m)
{
    return mathx_sqrt(moments_variance(m));
}

/*
 * When the mean moves from a to a + d, the sum over k pairs of (x[i] - a)(x[i+1] - a) grows by -d
 * (sum of x[i] - a over all but the last, and over all but the first) + k d^2. Both sums are known,
 * since all deviations sum to zero.
 */
void lag1_add(struct lag1 *l, double x)
{
    double pairs = (double)l->all.n - 1, mean = l->all.mean;

    moments_add(&l->all, x);
    if (l->all.n == 1) {
        l->first = x;
    } else {
        double moved = l->all.mean - mean;
        l->products += moved * (l->first - mean + (l->last - mean)) + pairs * moved * moved;
        l->products += (l->last - l->all.mean) * (x - l->all.mean);
    }
    l->last = x;
}

double lag1_correlation(const struct lag1 *l)
{
    return l->all.n > 1 && l->all.squares > 0 ? l->products / l->all.squares : 0;
}
