#include "bench/kinds/crowd_part.h"
#include "bench/engine/plan.h"
#include "bench/engine/guard.h"
#include "lib/text/fmt.h"
#include "lib/text/mem.h"

#define MEETINGS 3 /* meetings for which a core may come too late, ... */
#define LONGER   4 /* ... and the factor by which each waits longer than the previous one */

static struct plan_core *core_at(const struct crowd *c, unsigned place)
{
    return &c->plan->core[c->places[place]];
}

unsigned crowd_take_places(struct crowd *c)
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

/* The boot core is already between row_begin() and row_end() (crowd_run.c). */
void crowd_part(struct crowd *c, unsigned place, void (*fn)(void *ctx), void *ctx)
{
    const struct platform *p = c->plan->p;
    struct plan_core *pc = core_at(c, place);
    unsigned core = pc->engine.facts.core;

    memset(&pc->row, 0, sizeof pc->row);
    pc->row.out.bench = c->met.row.out.bench;
    pc->row.out.core = core;
    pc->waits = false;
    if (core > 0)
        p->row_begin(p, c->met.row.out.bench->suite, c->met.row.out.bench->name, 0);
    (void)guard_run(&pc->engine, &pc->row.out, fn, ctx);
    if (core > 0)
        p->row_end(p);
    barrier_leave(&c->plan->barrier, place);
    pc->back = true;
}

void crowd_waits(struct crowd *c, unsigned place, bool waits)
{
    const struct platform *p = c->plan->p;

    core_at(c, place)->waits = waits;
    if (p->row_waits)
        p->row_waits(waits);
}

bool crowd_pass(struct crowd *c, unsigned place)
{
    crowd_waits(c, place, true);
    int missing = barrier_pass(&c->plan->barrier, place, c->patience);
    crowd_waits(c, place, false);
    if (missing == BARRIER_GO)
        return true;
    c->missing = c->plan->present[missing];
    return false;
}

enum crowd_end crowd_late(struct crowd *c, const char *why)
{
    const struct platform *p = c->plan->p;
    unsigned core;

    if (!p->cores || !p->cores->starved) {
        crowd_fail(c, ROW_WRONG, why);
        return CROWD_FAILED;
    }
    if (++c->late < MEETINGS) {
        c->patience *= LONGER;
        p->row_longer(p, 0);
        return CROWD_AGAIN;
    }
    if (!plan_starved(c->plan, &core)) {
        crowd_fail(c, ROW_WRONG, why);
        return CROWD_FAILED;
    }
    fmt_buf(c->met.row.out.said, sizeof c->met.row.out.said, PLAN_STARVED, core);
    crowd_fail(c, ROW_UNSUPPORTED, c->met.row.out.said);
    return CROWD_FAILED;
}

/* Names a core that only waited for another core only if no other core failed. */
enum crowd_end crowd_parts_done(struct crowd *c, unsigned n)
{
    const struct plan_core *failed = NULL;

    for (unsigned i = 0; i < n; i++) {
        const struct plan_core *pc = core_at(c, i);
        if (pc->row.out.why && (!failed || (failed->waits && !pc->waits)))
            failed = pc;
    }
    if (!failed)
        return CROWD_MET;
    fmt_buf(c->met.row.out.said, sizeof c->met.row.out.said, "core %u: %s",
            failed->engine.facts.core, failed->row.out.why);
    if (failed->waits)
        return crowd_late(c, c->met.row.out.said);
    crowd_fail(c, ROW_WRONG, c->met.row.out.said);
    return CROWD_FAILED;
}

enum crowd_end crowd_meet(struct crowd *c, unsigned n, void (*fn)(void *ctx, unsigned core),
                          void *ctx, uint64_t *operations)
{
    bool complete = true;

    memset(c->core, 0, n * sizeof *c->core);
    c->missing = CROWD_NOBODY;
    const char *why = plan_on_all(c->plan, c->places, n, fn, ctx);
    enum crowd_end end = why ? CROWD_FAILED : crowd_parts_done(c, n);
    crowd_fail(c, ROW_WRONG, why);
    *operations = 0;
    for (unsigned i = 0; i < n; i++) {
        *operations += c->core[i].operations;
        complete = complete && c->core[i].complete;
    }
    if (end != CROWD_MET || complete)
        return end;
    if (c->missing == CROWD_NOBODY)
        return crowd_late(c, "a core waited too long for the others");
    fmt_buf(c->met.row.out.said, sizeof c->met.row.out.said,
            "core %u did not reach the start in time", c->missing);
    return crowd_late(c, c->met.row.out.said);
}

static void nothing(void *ctx)
{
    (void)ctx;
}

bool crowd_go_on(struct crowd *c)
{
    const struct engine *e = &c->plan->core[0].engine;

    return pace_go_on(e) && guard_run(e, &c->met.row.out, nothing, NULL);
}
