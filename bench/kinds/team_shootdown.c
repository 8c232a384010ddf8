/* Measures TLB shootdowns, from the boot core to 1, 2, 4 ... and all other cores. */
#include "bench/kinds/team.h"
#include "bench/kinds/team_part.h"
#include "bench/engine/plan.h"
#include "lib/stats/stats.h"

#define SHOTS 3 /* with each number of cores in a pass; odd */

/* Measures them with the first n other cores. False: the row has ended. */
static bool step(struct team *c, unsigned n)
{
    const struct platform *p = c->plan->p;
    struct platform_shootdown shot[SHOTS];
    uint64_t ticks[SHOTS];

    if (!team_go_on(c))
        return false;
    const char *why = p->cores->shootdown(p, c->plan->present, n, shot, SHOTS);
    team_fail(c, ROW_WRONG, why);
    if (why)
        return false;
    for (unsigned i = 0; i < SHOTS; i++)
        ticks[i] = shot[i].part[c->met.row.out.bench->arg];
    stats_sort(ticks, SHOTS);
    team_contention_note(c, n,
                         (struct contention_pass){.ticks = (double)ticks[SHOTS / 2],
                                                  .least = (double)ticks[0],
                                                  .greatest = (double)ticks[SHOTS - 1]});
    return true;
}

static bool shootdown_pass(struct team *c)
{
    struct plan *plan = c->plan;
    unsigned n = 0;

    for (unsigned k = 0; k < plan->all; k++)
        if (plan->list[k] > 0 && !plan->core[k].gone)
            plan->present[n++] = plan->list[k];
    for (unsigned cores = 1; cores < n; cores *= 2)
        if (!step(c, cores))
            return false;
    return step(c, n);
}

void team_shootdown(struct team *c)
{
    c->met.signals = true;
    if (c->plan->p->cores->shootdown)
        team_passes(c, shootdown_pass, team_contention_last);
    else
        team_fail(c, ROW_UNSUPPORTED, "needs ring 0: it changes page tables");
}
