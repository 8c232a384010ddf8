#include "bench/kinds/team.h"
#include "lib/stats/mathx.h"
#include "bench/engine/guard.h"
#include "lib/text/fmt.h"
#include "lib/text/mem.h"

#define TEAM_PAIRS_AT_LIMIT (TEAM_ALL_PAIRS * (TEAM_ALL_PAIRS - 1) / 2)

size_t team_pairs_most(unsigned n)
{
    size_t all = (size_t)n * (n - 1) / 2, most = TEAM_PAIRS_AT_LIMIT, ring = 2 * (size_t)n;

    most = all < most ? all : most;
    return most > ring ? most : ring;
}

size_t team_lines(unsigned n)
{
    return (n + TEAM_WORDS - 1) / TEAM_WORDS;
}

size_t team_size(unsigned n)
{
    size_t bytes = sizeof(struct team) + n * sizeof(struct team_core) +
                   team_lines(n) * sizeof(struct team_line) +
                   team_pairs_most(n) * sizeof(struct pair);

    return (bytes + BARRIER_LINE - 1) / BARRIER_LINE * BARRIER_LINE;
}

void team_fail(struct team *c, enum row_status status, const char *why)
{
    outcome_fail(&c->met.row.out, status, why);
}

/* Repeats the rendezvous of a row in passes, so that its figure has an interval. */
/* Returns the standard error that the TSC's step alone causes: the difference of two readings, each
 * with an error that is uniform over the step. */
static double finest(const struct team *c)
{
    unsigned per = c->per_reading ? c->per_reading : 1;

    return c->plan->core[0].engine.facts.step / mathx_sqrt(6) / per;
}

struct estimate team_over(const struct team *c, const double pass[])
{
    double scratch[MEETING_PASSES];
    const struct estimate_found found = {
        .theta = pass, .placements = c->pass + 1, .se = UNKNOWN, .finest = finest(c)};

    return estimate_over(&found, scratch);
}

void team_passes(struct team *c, bool (*once)(struct team *c),
                 double (*figure)(const struct team *c))
{
    struct team_result *met = &c->met;
    uint64_t patience = c->patience;

    c->passes = c->silicon ? MEETING_PASSES : 1;
    for (c->pass = 0; c->pass < c->passes; c->pass++) {
        c->taken = c->late = 0;
        c->patience = patience;
        if (!once(c))
            return;
        met->pass[c->pass] = figure(c);
        met->ticks = team_over(c, met->pass);
        met->passes = c->pass + 1;
    }
    met->row.figure.ticks = met->ticks.theta;
}

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
