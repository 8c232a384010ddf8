#include "bench/engine/points.h"
#include "bench/engine/pace.h"
#include "lib/stats/estimate.h"
#include "lib/stats/known.h"

#define STEPS_LEAST 1e3  /* core cycles of a walk */
#define NARROW      0.02 /* an interval's longer side, as a part of the figure */
#define NO_INTERVAL 1e6  /* wider than any interval, with any number of visits */

struct visits_figure points_figure(const struct engine *e, const struct visits *v, unsigned rounds)
{
    return visits_figure(v, rounds, (double)e->step_cycles / STEPS_LEAST,
                         run_has_cycles(&e->facts));
}

bool points_pass(const struct points *p, unsigned k)
{
    struct pairs_figure exclusive, all;
    unsigned round = p->first + k;

    for (size_t i = 0; i < p->n; i++) {
        size_t at = round % 2 ? p->n - 1 - i : i;
        for (unsigned times = p->times(p->ctx, k, at); times > 0; times--) {
            if (!p->visit(p->ctx, at, &exclusive, &all))
                return false;
            visits_add(&p->visits[at], round, &exclusive, &all);
        }
        double done = (k + (double)(i + 1) / (double)p->n) / p->passes;
        pace_show(p->e, p->share + (1 - p->share) * done);
    }
    return true;
}

/* Repeats a visit of each point. *any: a visit was repeated. False: the row has ended. */
static bool repeat(const struct points *p, bool *any)
{
    *any = false;
    for (size_t i = 0; i < p->n; i++) {
        struct visits *visits = &p->visits[i];
        unsigned k = visits_disturbed(visits);
        struct pairs_figure exclusive, all;
        if (k == visits->n || !visits_are_shared(visits) || p->cost[i] > budget_left(p->budget))
            continue;
        if (!p->visit(p->ctx, i, &exclusive, &all))
            return false;
        visits_repeat(visits, k, &exclusive, &all);
        *any = true;
    }
    return true;
}

/* Returns how wide a point's interval is, with its weight; 0: it cannot have another visit. */
static double need_of(const struct points *p, size_t i,
                      double (*weight)(const void *ctx, size_t point))
{
    const struct visits *v = &p->visits[i];

    if (v->n == VISITS_MOST || p->cost[i] > budget_left(p->budget))
        return 0;
    struct visits_figure f = points_figure(p->e, v, p->first + p->passes);
    if (!is_known(f.lo))
        return weight(p->ctx, i) * NO_INTERVAL / v->n;
    return weight(p->ctx, i) * estimate_longer_of(f.cycles, f.lo, f.hi) / f.cycles;
}

/* Visits the point that needs it most. *any: there was one. False: the row has ended. */
static bool visit_worst(const struct points *p, bool *any,
                        double (*weight)(const void *ctx, size_t point))
{
    struct pairs_figure exclusive, all;
    double most = NARROW;
    size_t worst = p->n;

    for (size_t i = 0; i < p->n; i++) {
        double need = need_of(p, i, weight);
        if (!(need > most))
            continue;
        most = need;
        worst = i;
    }
    if (worst == p->n)
        return true;
    *any = true;
    if (!p->visit(p->ctx, worst, &exclusive, &all))
        return false;
    visits_add(&p->visits[worst], p->first + p->passes - 1, &exclusive, &all);
    return true;
}

bool points_improve(const struct points *p, double (*weight)(const void *ctx, size_t point))
{
    bool any = p->e->facts.execution == EXEC_SILICON;

    while (any && budget_left(p->budget) > 0)
        if (!repeat(p, &any) || !visit_worst(p, &any, weight))
            return false;
    return true;
}
