#include "bench/kinds/team.h"
#include "bench/kinds/kinds.h"
#include "bench/engine/plan.h"
#include "bench/engine/barrier.h"
#include "lib/text/mem.h"

/* A round of a contention: long compared with the start of all cores, short compared with a host's
 * time slice. */
#define ROUND_SECONDS 1e-3
#define ROUND_TICKS   1000000 /* if the TSC's frequency is not known, or is an emulator's */

void team_begin(struct plan *plan, const struct bench *b)
{
    struct team *c = team_of(plan);
    const struct engine *e = &plan->core[0].engine;

    memset(c, 0, sizeof *c);
    c->core = (struct team_core *)(void *)(c + 1);
    c->shared = (struct team_line *)(void *)(c->core + plan->all);
    c->met.pair = (struct pair *)(void *)(c->shared + team_lines(plan->all));
    c->plan = plan;
    c->met.cores = &plan->cores;
    c->silicon = e->facts.execution == EXEC_SILICON;
    c->duration = ROUND_TICKS;
    if (c->silicon && run_has_hz(&e->facts))
        c->duration = (uint64_t)(e->facts.tsc_hz * ROUND_SECONDS);
    c->patience = gate_patience(e, 0);
    c->met.row.out.bench = b;
    c->met.row.out.core = plan->list[0];
}

bool team_has_two(const struct plan *plan)
{
    unsigned live = 0;

    for (unsigned k = 0; k < plan->all; k++)
        live += !plan->core[k].gone;
    return live >= 2;
}

#define NOT_STEPPED "its cores wait for each other, for any number of instructions"

/* Rendezvous of a row of several cores (kind_team). */
static const struct outcome *measure_row(struct plan *plan, const struct bench *b, unsigned k)
{
    struct team *c = team_of(plan);

    team_begin(plan, b);
    const char *lacks = engine_lacks(&plan->core[k].engine, b);
    plan->p->row.begin(plan->p, b->suite, b->name, 0);
    if (lacks)
        team_fail(c, ROW_UNSUPPORTED, lacks);
    else if (team_has_two(plan))
        ((const struct bench_team_row *)b->of)->meet(c);
    else
        team_fail(c, ROW_UNSUPPORTED, TEAM_ALONE);
    plan->p->row.end(plan->p);
    if (c->met.row.out.status == ROW_OK && plan->o->instructions != INSTRUCTIONS_OFF)
        c->met.row.stepped =
            (struct stepped){.tried = true, .why_not = NOT_STEPPED, .by_counter = UNKNOWN};
    return plan->poll->stopped ? NULL : &c->met.row.out;
}

#define GUESS 1e8 /* core cycles of a row */

static double guess(const struct engine *e, const struct bench *b)
{
    (void)b;
    return GUESS * (run_has_ruler(&e->facts) ? e->facts.ticks_per_cycle : 1);
}

size_t team_memory(const struct options *o, unsigned all)
{
    (void)o;
    return team_size(all);
}

const struct kind kind_team = {.name = "cores",
                               .conducted = true,
                               .needs_two = true,
                               .options = OPTIONS_NONE,
                               .no_body = "it brings cores together",
                               .memory = team_memory,
                               .pairs = team_pairs_most,
                               .guess = guess,
                               .measure = measure_row};
