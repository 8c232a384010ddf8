#include "bench/engine/loop.h"
#include "lib/stats/estimate.h"
#include "lib/stats/mathx.h"
#include "lib/stats/stats.h"

void visits_add(struct visits *v, unsigned round, const struct pairs_figure *exclusive,
                const struct pairs_figure *all)
{
    v->round[v->n] = (uint8_t)round;
    v->exclusive[v->n] = *exclusive;
    v->all[v->n++] = *all;
}

/* Returns the estimate over the visits, from their pairs without a neighbour or from all. */
static struct estimate estimate_of(const struct visits *v, unsigned rounds, bool shared_too,
                                   double finest)
{
    struct estimate_taken part[VISITS_MOST];
    double theta[VISITS_MOST], round[VISITS_ROUNDS_MOST], scratch[VISITS_MOST];

    for (unsigned i = 0; i < v->n; i++) {
        const struct pairs_figure *f = shared_too ? &v->all[i] : &v->exclusive[i];
        part[i] = (struct estimate_taken){i, v->round[i], f->pairs, f->cycles, f->se};
    }
    struct estimate_found found = {.theta = theta,
                                   .placements = v->n,
                                   .round = round,
                                   .rounds = rounds,
                                   .finest = finest,
                                   .rounds_differ = estimate_rounds_differ(part, v->n)};
    estimate_by_round(part, v->n, round, rounds);
    estimate_by_placement(part, v->n, theta, v->n);
    found.se = estimate_placement_se(part, v->n, &found.m);
    return estimate_over(&found, scratch);
}

static double ticks_of(const struct visits *v)
{
    double ticks[VISITS_MOST];
    size_t n = 0;

    for (unsigned i = 0; i < v->n; i++) {
        const struct pairs_figure *f = v->exclusive[i].pairs ? &v->exclusive[i] : &v->all[i];
        if (is_known(f->ticks))
            ticks[n++] = f->ticks;
    }
    return n ? median(ticks, n) : UNKNOWN;
}

bool visits_are_shared(const struct visits *v)
{
    unsigned exclusive = 0, all = 0;

    for (unsigned i = 0; i < v->n; i++) {
        exclusive += v->exclusive[i].pairs;
        all += v->all[i].pairs;
    }
    return 2 * exclusive < all;
}

unsigned visits_disturbed(const struct visits *v)
{
    unsigned i = 0;

    while (i < v->n && 2 * v->exclusive[i].pairs >= v->all[i].pairs)
        i++;
    return i;
}

void visits_repeat(struct visits *v, unsigned i, const struct pairs_figure *exclusive,
                   const struct pairs_figure *all)
{
    if (exclusive->pairs <= v->exclusive[i].pairs)
        return;
    v->exclusive[i] = *exclusive;
    v->all[i] = *all;
}

static void hold(struct visits_figure *f, const struct estimate *also)
{
    if (!(f->lo <= also->lo))
        f->lo = also->lo;
    if (!(f->hi >= also->hi))
        f->hi = also->hi;
}

struct visits_figure visits_figure(const struct visits *v, unsigned rounds, double finest,
                                   bool has_cycles)
{
    struct visits_figure f = {ticks_of(v), UNKNOWN, UNKNOWN, UNKNOWN, visits_are_shared(v)};

    if (!has_cycles)
        return f;
    struct estimate all = estimate_of(v, rounds, true, finest);
    struct estimate used = f.shared ? all : estimate_of(v, rounds, false, finest);
    f.cycles = used.theta;
    if (used.placements < VISITS_LEAST || !(used.lo > 0))
        return f;
    f.lo = used.lo;
    f.hi = used.hi;
    if (f.shared)
        hold(&f, &all);
    return f;
}
