/* Measures contention: 1, 2, 4 ... and all cores at once, for a fixed time in each pass. */
#include "bench/kinds/team.h"
#include "bench/engine/plan.h"
#include "bench/api/tsc.h"
#include "lib/stats/stats.h"
#include "lib/text/mem.h"

struct contender {
    struct team *team;
    unsigned place;
};

static void contend(void *ctx)
{
    const struct contender *contender = ctx;
    struct team *c = contender->team;
    struct team_core *cc = &c->core[contender->place];

    if (!team_pass(c, contender->place))
        return;
    uint64_t began = tsc_now(), operations = 0, ticks;
    do {
        cc->complete = c->batch(c, contender->place, c->operations);
        operations += cc->complete ? c->operations : 0;
        ticks = tsc_now() - began;
    } while (cc->complete && ticks < c->duration);
    cc->operations = operations;
    cc->round_ticks[0] = ticks;
}

static void contend_here(void *ctx, unsigned core)
{
    struct contender contender = {.team = ctx};

    while (contender.team->plan->present[contender.place] != core)
        contender.place++;
    team_part(contender.team, contender.place, contend, &contender);
}

/* Returns this pass's figures of the first n cores. */
static struct contention_pass judge(const struct team *c, unsigned n)
{
    struct contention_pass result = {0};
    double ticks = 0, operations = 0;

    for (unsigned i = 0; i < n; i++) {
        const struct team_core *s = &c->core[i];
        double mine = (double)s->round_ticks[0] / (double)s->operations;
        if (i == 0 || mine < result.least)
            result.least = mine;
        if (i == 0 || mine > result.greatest)
            result.greatest = mine;
        ticks += (double)s->round_ticks[0];
        operations += (double)s->operations;
    }
    result.ticks = ticks / operations;
    return result;
}

/* Takes the figures of this many cores in this pass. */
static void team_contention_note(struct team *c, unsigned cores, struct contention_pass now)
{
    struct contention *k = &c->met.contention[c->taken++];
    double ticks[MEETING_PASSES], least[MEETING_PASSES], greatest[MEETING_PASSES];
    unsigned n = c->pass + 1;

    k->cores = cores;
    k->pass[c->pass] = now;
    for (unsigned i = 0; i < n; i++) {
        ticks[i] = k->pass[i].ticks;
        least[i] = k->pass[i].least;
        greatest[i] = k->pass[i].greatest;
    }
    k->ticks = team_over(c, ticks);
    double fastest = median(least, n), slowest = median(greatest, n); /* sorts them */
    k->least = c->met.signals ? least[0] : fastest;
    k->greatest = c->met.signals ? greatest[n - 1] : slowest;
    c->met.contentions = c->taken > c->met.contentions ? c->taken : c->met.contentions;
}

/* Returns the figure of a pass: that of the most cores. */
static double team_contention_last(const struct team *c)
{
    return c->met.contention[c->taken - 1].pass[c->pass].ticks;
}

/* Clears the shared counters. */
static void clear(struct team *c, unsigned n)
{
    memset(c->shared, 0, team_lines(n) * sizeof *c->shared);
    c->hot = c->ticket = c->serving = c->guarded = 0;
}

static enum team_end meet(struct team *c, unsigned n)
{
    uint64_t operations;

    clear(c, n);
    enum team_end end = team_meet(c, n, contend_here, c, &operations);
    if (end != TEAM_MET || c->counted(c, n) == operations)
        return end;
    team_fail(c, ROW_WRONG, "operations were lost: the counters do not add up");
    return TEAM_FAILED;
}

static bool step(struct team *c, unsigned n)
{
    enum team_end end = TEAM_AGAIN;

    while (end == TEAM_AGAIN) {
        if (!team_go_on(c))
            return false;
        end = meet(c, n);
    }
    if (end == TEAM_FAILED)
        return false;
    team_contention_note(c, n, judge(c, n));
    return true;
}

static bool contention_pass(struct team *c)
{
    unsigned n = team_take_places(c);

    for (unsigned cores = 1; cores < n; cores *= 2)
        if (!step(c, cores))
            return false;
    return step(c, n);
}

void team_contention(struct team *c, bool (*batch)(struct team *, unsigned, unsigned),
                     unsigned operations, uint64_t (*counted)(const struct team *, unsigned))
{
    c->batch = batch;
    c->operations = c->per_reading = operations;
    c->counted = counted;
    team_passes(c, contention_pass, team_contention_last);
}

/* Measures TLB shootdowns, from the boot core to 1, 2, 4 ... and all other cores. */
#define SHOTS 3 /* with each number of cores in a pass; odd */

/* Measures them with the first n other cores. False: the row has ended. */
static bool shootdown_step(struct team *c, unsigned n)
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
        if (!shootdown_step(c, cores))
            return false;
    return shootdown_step(c, n);
}

void team_shootdown(struct team *c)
{
    c->met.signals = true;
    if (c->plan->p->cores->shootdown)
        team_passes(c, shootdown_pass, team_contention_last);
    else
        team_fail(c, ROW_UNSUPPORTED, "needs ring 0: it changes page tables");
}
