#include "bench/engine/plan.h"
#include "bench/engine/duration.h"
#include "bench/api/kind.h"
#include "bench/engine/cycle.h"
#include "bench/engine/engine.h"
#include "bench/engine/gathered.h"
#include "lib/stats/mathx.h"
#include "lib/text/fmt.h"

static void probe_here(void *ctx, unsigned core)
{
    struct plan *plan = ctx;
    struct plan_core *pc = plan_core(plan, core);

    probe_core(&pc->engine, plan->probe);
    cycle_open(&pc->engine);
    *plan->counter = cycle_judge(&pc->engine);
    pc->nmis = plan->p->events.nmis();
    pc->back = true;
}

/*
 * Compares the execution with the boot core's. It must be the same on all cores, because their
 * figures are in one column. If the boot core is emulated, so is every other core.
 */
static void compare_execution(struct plan_core *pc, const struct engine *boot)
{
    struct engine *e = &pc->engine;

    if (e->facts.execution == boot->facts.execution)
        return;
    if (boot->facts.execution == EXEC_EMULATED) {
        e->facts.execution = boot->facts.execution;
        e->facts.ticks_per_instruction = boot->facts.ticks_per_instruction;
        e->facts.samples = boot->facts.samples;
        return;
    }
    fmt_buf(pc->unlike, sizeof pc->unlike,
            "its execution is \"%s\", that of the boot core \"%s\": it has no rows in this report",
            execution_names[e->facts.execution], execution_names[boot->facts.execution]);
    pc->unlike_in = "execution";
    pc->gone = pc->unlike;
}

/* Checks that a counter that cycle= names has started on this core too. */
static void check_cycle_words(struct plan_core *pc)
{
    struct sink_buf text;

    sink_buf_init(&text, pc->unlike, sizeof pc->unlike);
    if (cycle_check_words(&pc->engine, &text.sink))
        return;
    pc->unlike_in = "cycle";
    pc->gone = pc->unlike;
}

bool plan_probe(struct plan *plan, unsigned k)
{
    struct plan_core *pc = &plan->core[k];
    const struct engine boot = pc->engine; /* still a copy of the boot core's */

    if (plan->list[k] == 0)
        return true;
    if (plan_on(plan, k, probe_here, plan))
        return false;
    compare_execution(pc, &boot);
    if (!pc->gone)
        check_cycle_words(pc);
    return true;
}

/* Returns the results of row `index` on the k-th core, alone or together with others. */
static struct gathered *gathered_of(const struct plan *plan, size_t index, unsigned k,
                                    bool together)
{
    size_t place = plan->place[index] * plan->n + k;

    if (plan->rounds == 1)
        return plan->core[k].engine.gathered;
    if (plan->together)
        place = 2 * place + together;
    return (struct gathered *)(void *)(plan->store + place * plan->store_words);
}

static void row_here(void *ctx, unsigned core)
{
    struct plan *plan = ctx;
    struct plan_core *pc = plan_core(plan, core);

    if (plan->round == 0)
        engine_begin(&pc->engine, plan->bench, pc->gathered);
    engine_round(&pc->engine, pc->gathered, plan->round);
    uint64_t nmis = plan->p->events.nmis();
    pc->gathered->row.out.nmis += nmis - pc->nmis;
    pc->nmis = nmis;
    if (pc->engine.gate)
        barrier_leave(&plan->barrier, pc->gate.place);
    pc->back = true;
}

static struct core_figure figure_of(const struct engine *e, const struct row *row)
{
    const struct row_figure *h = &row->figure;
    struct core_figure f = {.ticks = UNKNOWN,
                            .cycles = UNKNOWN,
                            .lo = UNKNOWN,
                            .hi = UNKNOWN,
                            .shared = row->taken.shared,
                            .wrong = row->out.status == ROW_WRONG};

    if (!h->known)
        return f;
    f.ticks = h->ticks;
    if (e->facts.cycle.by == CYCLES_UNKNOWN && e->facts.execution != EXEC_INSTRUCTIONS)
        return f;
    f.cycles = h->cycles.theta;
    f.lo = h->cycles.lo;
    f.hi = h->cycles.hi;
    if (!row->spread.theta || row->spread.placements > CORE_FIGURE_PLACEMENTS)
        return f;
    f.placements = row->spread.placements;
    bool one = row->spread.placements < e->facts.rounds || row->out.bench->window.most_windows;
    f.rounds = one ? 1 : e->facts.rounds;
    for (unsigned i = 0; i < row->spread.placements; i++)
        f.theta[i] = row->spread.theta[i];
    return f;
}

/* Fails a row that the core did not end. */
static void lose_row(const struct plan *plan, struct plan_core *pc)
{
    struct gathered *g = pc->gathered;

    if (plan->round == 0)
        engine_begin(&pc->engine, plan->bench, g);
    outcome_fail(&g->row.out, ROW_WRONG, pc->gone);
    g->cut = true;
}

/* Ends the row on this core. */
static void end_row(struct plan_core *pc, size_t index)
{
    engine_end(&pc->engine, pc->gathered, &pc->row);
    pc->engine.figures[index] = figure_of(&pc->engine, &pc->row);
    pc->has_row = true;
}

static bool is_last_round(const struct plan *plan)
{
    return plan->round + 1 == plan->rounds;
}

static bool has_begun(const struct plan *plan, const struct gathered *g)
{
    return plan->round == 0 || g->row.out.bench;
}

/* Measures a row on one core alone. Does not retry a row that failed in an earlier round. */
static void measure_alone(struct plan *plan, size_t index, unsigned k)
{
    struct plan_core *pc = &plan->core[k];
    struct gathered *g = pc->gathered = gathered_of(plan, index, k, false);

    pc->has_row = false;
    plan->stage = k;
    pc->engine.gate = NULL;
    if ((pc->gone && plan->round == 0) || !has_begun(plan, g))
        return;
    if (plan->round == 0 || (!g->cut && !pc->gone)) {
        plan_on(plan, k, row_here, plan);
        if (pc->gone)
            lose_row(plan, pc);
    }
    if (is_last_round(plan) && !plan->poll->stopped)
        end_row(pc, index);
}

/* Measures each core alone. Returns the number of cores that succeeded, listed in plan->places. */
static unsigned measure_each(struct plan *plan, size_t index)
{
    unsigned n = 0;

    for (unsigned k = 0; k < plan->n; k++) {
        struct plan_core *pc = &plan->core[k];
        pc->has_row = false;
        if ((pc->gone && plan->round == 0) || plan->poll->stopped)
            continue;
        measure_alone(plan, index, k);
        const struct row *row = pc->has_row ? &pc->row : &pc->gathered->row;
        pc->alone = figure_of(&pc->engine, row);
        if (!pc->gone && row->out.bench && row->out.status == ROW_OK)
            plan->places[n++] = k;
    }
    return n;
}

/* Ends a row that was measured together, and adds the core's figure alone for comparison. */
static void end_together(struct plan_core *pc, size_t index)
{
    uint64_t nmis = pc->row.out.nmis;

    end_row(pc, index);
    pc->row.out.nmis += nmis;
    pc->row.beside.alone = pc->alone;
}

const struct gathered *plan_gathered(const struct plan *plan, size_t index, unsigned k)
{
    const struct gathered *g = plan->rounds > 1 ? gathered_of(plan, index, k, false) : NULL;

    return g && g->row.out.bench && g->rounds > 0 ? g : NULL;
}

uint64_t plan_stepped(const struct plan *plan)
{
    uint64_t ticks = 0;

    for (unsigned k = 0; k < plan->n; k++)
        if (plan->core[k].has_row)
            ticks += plan->core[k].row.stepped.ticks;
    return ticks;
}

void plan_end(struct plan *plan, size_t index, unsigned k)
{
    struct plan_core *pc = &plan->core[k];

    if (plan->rounds == 1)
        return;
    pc->has_row = false;
    pc->gathered = gathered_of(plan, index, k, false);
    if (!pc->gathered->row.out.bench || pc->gathered->rounds == 0)
        return;
    end_row(pc, index);
    pc->alone = figure_of(&pc->engine, &pc->row);
    if (!plan->together)
        return;
    pc->gathered = gathered_of(plan, index, k, true);
    if (pc->row.out.status == ROW_OK && pc->gathered->row.out.bench && pc->gathered->rounds > 0)
        end_together(pc, index);
}

/* The core waited for one that got no CPU from the system: this fails no row. */
static void excuse(const struct plan *plan, struct plan_core *pc)
{
    struct row *row = &pc->gathered->row;
    unsigned core;

    if (!pc->gate.missed || row->out.status != ROW_WRONG || !plan_starved(plan, &core))
        return;
    fmt_buf(row->out.said, sizeof row->out.said, PLAN_STARVED, core);
    row->out.why = row->out.said;
    row->out.status = ROW_UNSUPPORTED;
}

/* Measures the row on each core alone, then on all cores at once that had a figure alone. */
static void measure_together(struct plan *plan, size_t index)
{
    unsigned n = measure_each(plan, index);

    for (unsigned i = 0; i < n; i++) {
        struct plan_core *pc = &plan->core[plan->places[i]];
        pc->gathered = gathered_of(plan, index, plan->places[i], true);
        pc->engine.gate = &pc->gate;
    }
    plan->stage = plan->n;
    if (n > 0 && !plan->poll->stopped)
        plan_on_all(plan, plan->places, n, row_here, plan);
    for (unsigned i = 0; i < n && !plan->poll->stopped; i++) {
        struct plan_core *pc = &plan->core[plan->places[i]];
        if (pc->gone)
            lose_row(plan, pc);
        excuse(plan, pc);
        pc->gathered->row.beside.together = n;
        if (is_last_round(plan))
            end_together(pc, index);
    }
    /* A core that was lost meanwhile keeps the rounds that it has. */
    for (unsigned k = 0; k < plan->n; k++)
        if (is_last_round(plan) && plan->core[k].gone && !plan->poll->stopped)
            plan_end(plan, index, k);
}

const struct row *plan_row(const struct plan *plan, unsigned k)
{
    const struct plan_core *pc = &plan->core[k];

    return pc->has_row ? &pc->row : NULL;
}

/* Measures the part of plan->round. After the last round there is a result. */
static const struct outcome *measure_row(struct plan *plan, const struct bench *b, unsigned k)
{
    const struct plan_core *pc = &plan->core[k];

    plan->bench = b;
    if (!plan->together)
        measure_alone(plan, plan->index, k);
    else if (k == 0)
        measure_together(plan, plan->index);
    return pc->has_row && !plan->poll->stopped ? &pc->row.out : NULL;
}

const struct kind kind_windows = {.name = "windows",
                                  .options = OPTIONS_WINDOWS,
                                  .no_body = "its windows are empty",
                                  .guess = duration_windows,
                                  .measure = measure_row};

static void nmis_here(void *ctx, unsigned core)
{
    struct plan *plan = ctx;
    struct plan_core *pc = plan_core(plan, core);

    pc->row.out.nmis = plan->p->events.nmis() - pc->nmis;
    pc->back = true;
}

uint64_t plan_interruptions(struct plan *plan)
{
    uint64_t all = 0;

    for (unsigned k = 0; k < plan->n; k++) {
        struct plan_core *pc = &plan->core[k];
        if (pc->gone || plan_on(plan, k, nmis_here, plan))
            continue;
        all += pc->row.out.nmis;
        pc->nmis += pc->row.out.nmis;
    }
    return all;
}

static void release_here(void *ctx, unsigned core)
{
    struct plan_core *pc = plan_core(ctx, core);

    cycle_close(&pc->engine);
    pc->back = true;
}

void plan_release(struct plan *plan)
{
    for (unsigned k = 0; k < plan->n; k++)
        if (plan->list[k] > 0 && (!plan->core[k].gone || plan->core[k].unlike[0]))
            plan_on(plan, k, release_here, plan);
}
