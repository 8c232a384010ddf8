#include "bench/figure/repeats.h"

/* Makes one pass. *any: a visit was repeated. False: the row has ended. */
static bool pass(const struct repeats *r, bool *any)
{
    *any = false;
    for (size_t i = 0; i < r->n; i++) {
        struct visits *visits = &r->visits[i];
        unsigned k = visits_disturbed(visits);
        struct pairs_figure exclusive, all;
        if (k == visits->n || !visits_are_shared(visits) || r->cost[i] > budget_left(r->budget))
            continue;
        if (!r->visit(r->ctx, i, &exclusive, &all))
            return false;
        visits_repeat(visits, k, &exclusive, &all);
        *any = true;
    }
    return true;
}

bool repeats_take(const struct repeats *r)
{
    bool any = true;

    while (any && budget_left(r->budget) > 0)
        if (!pass(r, &any))
            return false;
    return true;
}
