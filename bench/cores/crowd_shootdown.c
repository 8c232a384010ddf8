/* Measures TLB shootdowns, from the boot core to 1, 2, 4 ... and all other cores. */
#include "bench/cores/crowd.h"
#include "bench/cores/crowd_part.h"
#include "bench/cores/plan.h"
#include "lib/stats/stats.h"

#define SHOTS     33 /* with each number of cores; odd */
#define SHOTS_FEW 3

/* Measures them with the first n other cores. False: the row has ended. */
static bool step(struct crowd *c, unsigned n)
{
    const struct platform *p = c->plan->p;
    unsigned shots = c->silicon ? SHOTS : SHOTS_FEW;
    struct platform_shootdown shot[SHOTS];
    uint64_t ticks[SHOTS];

    if (!crowd_go_on(c))
        return false;
    const char *why = p->cores->shootdown(p, c->plan->present, n, shot, shots);
    crowd_fail(c, ROW_WRONG, why);
    if (why)
        return false;
    for (unsigned i = 0; i < shots; i++)
        ticks[i] = shot[i].part[c->met.row.bench->arg];
    stats_sort(ticks, shots);
    c->met.contest[c->met.contests++] = (struct contest){.cores = n,
                                                         .ticks = (double)ticks[shots / 2],
                                                         .least = (double)ticks[0],
                                                         .greatest = (double)ticks[shots - 1]};
    return true;
}

void crowd_shootdown(struct crowd *c)
{
    struct plan *plan = c->plan;
    unsigned n = 0;

    c->met.signals = true;
    if (!plan->p->cores->shootdown) {
        crowd_fail(c, ROW_UNSUPPORTED, "needs ring 0: it changes page tables");
        return;
    }
    for (unsigned k = 0; k < plan->all; k++)
        if (plan->list[k] > 0 && !plan->core[k].gone)
            plan->present[n++] = plan->list[k];
    for (unsigned cores = 1; cores < n; cores *= 2)
        if (!step(c, cores))
            return;
    if (step(c, n))
        c->met.row.figure.ticks = c->met.contest[c->met.contests - 1].ticks;
}
