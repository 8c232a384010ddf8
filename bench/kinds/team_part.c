#include "bench/kinds/team_part.h"
#include "bench/engine/plan.h"
#include "bench/engine/guard.h"
#include "lib/text/fmt.h"
#include "lib/text/mem.h"

#define RENDEZVOUS 3 /* rendezvous for which a core may come too late, ... */
#define LONGER     4 /* ... and the factor by which each waits longer than the previous one */

static struct plan_core *core_at(const struct team *c, unsigned place)
{
    return &c->plan->core[c->places[place]];
}

unsigned team_take_places(struct team *c)
{
    struct plan *plan = c->plan;
    unsigned n = 0;

    for (unsigned k = 0; k < plan->all; k++) {
        unsigned at = n;
        if (plan->core[k].gone)
            continue;
        for (; at > 0 && plan->list[plan->places[at - 1]] > plan->list[k]; at--)
            plan->places[at] = plan->places[at - 1];
        plan->places[at] = k;
        n++;
    }
    c->places = plan->places;
    return n;
}

/* The boot core is already between row.begin() and row.end() (team_run.c). */
void team_part(struct team *c, unsigned place, void (*fn)(void *ctx), void *ctx)
{
    const struct platform *p = c->plan->p;
    struct plan_core *pc = core_at(c, place);
    unsigned core = pc->engine.facts.core;

    memset(&pc->row, 0, sizeof pc->row);
    pc->row.out.bench = c->met.row.out.bench;
    pc->row.out.core = core;
    pc->waits = false;
    if (core > 0)
        p->row.begin(p, c->met.row.out.bench->suite, c->met.row.out.bench->name, 0);
    (void)guard_run(&pc->engine, &pc->row.out, fn, ctx);
    if (core > 0)
        p->row.end(p);
    barrier_leave(&c->plan->barrier, place);
    pc->back = true;
}

void team_waits(struct team *c, unsigned place, bool waits)
{
    const struct platform *p = c->plan->p;

    core_at(c, place)->waits = waits;
    if (p->row.waits)
        p->row.waits(waits);
}

bool team_pass(struct team *c, unsigned place)
{
    team_waits(c, place, true);
    int missing = barrier_pass(&c->plan->barrier, place, c->patience);
    team_waits(c, place, false);
    if (missing == BARRIER_GO)
        return true;
    c->missing = c->plan->present[missing];
    return false;
}

enum team_end team_late(struct team *c, const char *why)
{
    const struct platform *p = c->plan->p;
    unsigned core;

    if (!p->cores || !p->cores->starved) {
        team_fail(c, ROW_WRONG, why);
        return TEAM_FAILED;
    }
    if (++c->late < RENDEZVOUS) {
        c->patience *= LONGER;
        p->row.longer(p, 0);
        return TEAM_AGAIN;
    }
    if (!plan_starved(c->plan, &core)) {
        team_fail(c, ROW_WRONG, why);
        return TEAM_FAILED;
    }
    fmt_buf(c->met.row.out.said, sizeof c->met.row.out.said, PLAN_STARVED, core);
    team_fail(c, ROW_UNSUPPORTED, c->met.row.out.said);
    return TEAM_FAILED;
}

/* Names a core that only waited for another core only if no other core failed. */
enum team_end team_parts_done(struct team *c, unsigned n)
{
    const struct plan_core *failed = NULL;

    for (unsigned i = 0; i < n; i++) {
        const struct plan_core *pc = core_at(c, i);
        if (pc->row.out.why && (!failed || (failed->waits && !pc->waits)))
            failed = pc;
    }
    if (!failed)
        return TEAM_MET;
    fmt_buf(c->met.row.out.said, sizeof c->met.row.out.said, "core %u: %s",
            failed->engine.facts.core, failed->row.out.why);
    if (failed->waits)
        return team_late(c, c->met.row.out.said);
    team_fail(c, ROW_WRONG, c->met.row.out.said);
    return TEAM_FAILED;
}

enum team_end team_meet(struct team *c, unsigned n, void (*fn)(void *ctx, unsigned core), void *ctx,
                        uint64_t *operations)
{
    bool complete = true;

    memset(c->core, 0, n * sizeof *c->core);
    c->missing = TEAM_NOBODY;
    const char *why = plan_on_all(c->plan, c->places, n, fn, ctx);
    enum team_end end = why ? TEAM_FAILED : team_parts_done(c, n);
    team_fail(c, ROW_WRONG, why);
    *operations = 0;
    for (unsigned i = 0; i < n; i++) {
        *operations += c->core[i].operations;
        complete = complete && c->core[i].complete;
    }
    if (end != TEAM_MET || complete)
        return end;
    if (c->missing == TEAM_NOBODY)
        return team_late(c, "a core waited too long for the others");
    fmt_buf(c->met.row.out.said, sizeof c->met.row.out.said,
            "core %u did not reach the start in time", c->missing);
    return team_late(c, c->met.row.out.said);
}

static void nothing(void *ctx)
{
    (void)ctx;
}

bool team_go_on(struct team *c)
{
    const struct engine *e = &c->plan->core[0].engine;

    return poll_go_on(e) && guard_run(e, &c->met.row.out, nothing, NULL);
}
