#include "bench/figure/points.h"
#include "bench/context/pace.h"

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

bool points_repeat(const struct points *p)
{
    bool any = p->e->facts.execution == EXEC_SILICON;

    while (any && budget_left(p->budget) > 0)
        if (!repeat(p, &any))
            return false;
    return true;
}
