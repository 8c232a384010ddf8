#include "bench/cores/plan_rows.h"
#include "bench/sample/cycle.h"
#include "bench/measure/engine.h"
#include "bench/sample/gathered.h"
#include "lib/stats/known.h"
#include "lib/text/fmt.h"
#include "lib/text/mem.h"

static void probe_here(void *ctx, unsigned core)
{
    struct plan *plan = ctx;
    struct seat *seat = plan_seat(plan, core);

    probe_core(&seat->engine, plan->probe);
    cycle_open(&seat->engine);
    *plan->counter = cycle_judge(&seat->engine);
    seat->nmis = plan->p->nmis();
    seat->back = true;
}

/*
 * Compares the execution with the boot core's. It must be the same on all cores, because their
 * figures are in one column. If the boot core is emulated, so is every other core.
 */
static void compare_execution(struct seat *seat, const struct engine *boot)
{
    struct engine *e = &seat->engine;

    if (e->facts.execution == boot->facts.execution)
        return;
    if (boot->facts.execution == EXEC_EMULATED) {
        e->facts.execution = boot->facts.execution;
        e->facts.ticks_per_instruction = boot->facts.ticks_per_instruction;
        e->facts.samples = boot->facts.samples;
        return;
    }
    fmt_buf(seat->unlike, sizeof seat->unlike,
            "it is judged \"%s\", the boot core \"%s\": it has no rows in this report",
            execution_names[e->facts.execution], execution_names[boot->facts.execution]);
    seat->unlike_in = "execution";
    seat->gone = seat->unlike;
}

/* Checks that a counter that cycle= names has started on this core too. */
static void check_cycle_words(struct seat *seat)
{
    struct sink_buf text;

    sink_buf_init(&text, seat->unlike, sizeof seat->unlike);
    if (cycle_check_words(&seat->engine, &text.sink))
        return;
    seat->unlike_in = "cycle";
    seat->gone = seat->unlike;
}

bool plan_probe(struct plan *plan, unsigned k)
{
    struct seat *seat = &plan->seat[k];
    const struct engine boot = seat->engine; /* still a copy of the boot core's */

    if (plan->list[k] == 0)
        return true;
    if (plan_on(plan, k, probe_here, plan))
        return false;
    compare_execution(seat, &boot);
    if (!seat->gone)
        check_cycle_words(seat);
    return true;
}

/* Returns the results of row `index` on the k-th core, alone or together with others. */
static struct gathered *gathered_of(const struct plan *plan, size_t index, unsigned k,
                                    bool together)
{
    size_t place = plan->place[index] * plan->n + k;

    if (plan->rounds == 1)
        return plan->seat[k].engine.gathered;
    if (plan->together)
        place = 2 * place + together;
    return (struct gathered *)(void *)(plan->store + place * plan->store_words);
}

static void row_here(void *ctx, unsigned core)
{
    struct plan *plan = ctx;
    struct seat *seat = plan_seat(plan, core);

    if (plan->round == 0)
        engine_begin(&seat->engine, plan->bench, seat->gathered);
    engine_round(&seat->engine, seat->gathered, plan->round);
    uint64_t nmis = plan->p->nmis();
    seat->gathered->row.nmis += nmis - seat->nmis;
    seat->nmis = nmis;
    if (seat->engine.gate)
        barrier_leave(&plan->barrier, seat->gate.place);
    seat->back = true;
}

static struct core_figure figure_of(const struct engine *e, const struct row *row)
{
    const struct row_figure *h = &row->figure;
    struct core_figure f = {.ticks = UNKNOWN,
                            .cycles = UNKNOWN,
                            .lo = UNKNOWN,
                            .hi = UNKNOWN,
                            .shared = row->shared,
                            .wrong = row->status == ROW_WRONG};

    if (!h->known)
        return f;
    f.ticks = h->ticks;
    if (e->facts.cycle.by == CYCLES_UNKNOWN && e->facts.execution != EXEC_INSTRUCTIONS)
        return f;
    f.cycles = h->cycles.theta;
    f.lo = h->cycles.lo;
    f.hi = h->cycles.hi;
    if (!row->theta || row->placements > CORE_FIGURE_PLACEMENTS)
        return f;
    f.placements = row->placements;
    f.rounds = row->placements < e->facts.rounds ? 1 : e->facts.rounds;
    for (unsigned i = 0; i < row->placements; i++)
        f.theta[i] = row->theta[i];
    return f;
}

/* Fails a row that the core did not end. */
static void lose_row(const struct plan *plan, struct seat *seat)
{
    struct gathered *g = seat->gathered;

    if (plan->round == 0)
        engine_begin(&seat->engine, plan->bench, g);
    row_fail(&g->row, ROW_WRONG, seat->gone);
    g->cut = true;
}

/* Ends the row on this core. */
static void end_row(struct seat *seat, size_t index)
{
    engine_end(&seat->engine, seat->gathered, &seat->row);
    seat->engine.figures[index] = figure_of(&seat->engine, &seat->row);
    seat->has_row = true;
}

static bool is_last_round(const struct plan *plan)
{
    return plan->round + 1 == plan->rounds;
}

static bool has_begun(const struct plan *plan, const struct gathered *g)
{
    return plan->round == 0 || g->row.bench;
}

/* Measures a row on one core alone. Does not retry a row that failed in an earlier round. */
static void measure_alone(struct plan *plan, size_t index, unsigned k)
{
    struct seat *seat = &plan->seat[k];
    struct gathered *g = seat->gathered = gathered_of(plan, index, k, false);

    plan->stage = k;
    seat->engine.gate = NULL;
    if (!has_begun(plan, g))
        return;
    if (plan->round == 0 || (!g->cut && !seat->gone)) {
        plan_on(plan, k, row_here, plan);
        if (seat->gone)
            lose_row(plan, seat);
    }
    if (is_last_round(plan) && !plan->pace->stopped)
        end_row(seat, index);
}

void plan_measure(struct plan *plan, const struct bench *b, size_t index, unsigned k)
{
    struct seat *seat = &plan->seat[k];

    plan->bench = b;
    seat->has_row = false;
    if (!seat->gone || plan->round > 0)
        measure_alone(plan, index, k);
}

/* Measures each core alone. Returns the number of cores that succeeded, listed in plan->places. */
static unsigned measure_each(struct plan *plan, size_t index)
{
    unsigned n = 0;

    for (unsigned k = 0; k < plan->n; k++) {
        struct seat *seat = &plan->seat[k];
        seat->has_row = false;
        if ((seat->gone && plan->round == 0) || plan->pace->stopped)
            continue;
        measure_alone(plan, index, k);
        const struct row *row = seat->has_row ? &seat->row : &seat->gathered->row;
        seat->alone = figure_of(&seat->engine, row);
        if (!seat->gone && row->bench && row->status == ROW_OK)
            plan->places[n++] = k;
    }
    return n;
}

/* Ends a row that was measured together, and adds the core's figure alone for comparison. */
static void end_together(struct seat *seat, size_t index)
{
    uint64_t nmis = seat->row.nmis;

    end_row(seat, index);
    seat->row.nmis += nmis;
    seat->row.alone = seat->alone;
}

const struct gathered *plan_gathered(const struct plan *plan, size_t index, unsigned k)
{
    const struct gathered *g = plan->rounds > 1 ? gathered_of(plan, index, k, false) : NULL;

    return g && g->row.bench && g->rounds > 0 ? g : NULL;
}

uint64_t plan_stepped(const struct plan *plan)
{
    uint64_t ticks = 0;

    for (unsigned k = 0; k < plan->n; k++)
        if (plan->seat[k].has_row)
            ticks += plan->seat[k].row.stepped.ticks;
    return ticks;
}

unsigned plan_rounds_of(const struct plan *plan, size_t index, unsigned k)
{
    const struct gathered *g = plan->rounds > 1 ? gathered_of(plan, index, k, false) : NULL;

    return g && g->row.bench ? g->rounds : 0;
}

void plan_end(struct plan *plan, size_t index, unsigned k)
{
    struct seat *seat = &plan->seat[k];

    if (plan->rounds == 1)
        return;
    seat->has_row = false;
    seat->gathered = gathered_of(plan, index, k, false);
    if (!seat->gathered->row.bench || seat->gathered->rounds == 0)
        return;
    end_row(seat, index);
    seat->alone = figure_of(&seat->engine, &seat->row);
    if (!plan->together)
        return;
    seat->gathered = gathered_of(plan, index, k, true);
    if (seat->row.status == ROW_OK && seat->gathered->row.bench && seat->gathered->rounds > 0)
        end_together(seat, index);
}

/* It waited for a core that the system gave no CPU: that fails no row. */
static void excuse(const struct plan *plan, struct seat *seat)
{
    struct row *row = &seat->gathered->row;
    unsigned core;

    if (!seat->gate.missed || row->status != ROW_WRONG || !plan_starved(plan, &core))
        return;
    fmt_buf(row->said, sizeof row->said, PLAN_STARVED, core);
    row->why = row->said;
    row->status = ROW_UNSUPPORTED;
}

void plan_measure_together(struct plan *plan, const struct bench *b, size_t index)
{
    plan->bench = b;
    unsigned n = measure_each(plan, index);
    for (unsigned i = 0; i < n; i++) {
        struct seat *seat = &plan->seat[plan->places[i]];
        seat->gathered = gathered_of(plan, index, plan->places[i], true);
        seat->engine.gate = &seat->gate;
    }
    plan->stage = plan->n;
    if (n > 0 && !plan->pace->stopped)
        plan_on_all(plan, plan->places, n, row_here, plan);
    for (unsigned i = 0; i < n && !plan->pace->stopped; i++) {
        struct seat *seat = &plan->seat[plan->places[i]];
        if (seat->gone)
            lose_row(plan, seat);
        excuse(plan, seat);
        seat->gathered->row.together = n;
        if (is_last_round(plan))
            end_together(seat, index);
    }
    /* A core that was lost meanwhile keeps the rounds that it has. */
    for (unsigned k = 0; k < plan->n; k++)
        if (is_last_round(plan) && plan->seat[k].gone && !plan->pace->stopped)
            plan_end(plan, index, k);
}

const struct row *plan_row(const struct plan *plan, unsigned k)
{
    const struct seat *seat = &plan->seat[k];

    return seat->has_row ? &seat->row : NULL;
}

static void nmis_here(void *ctx, unsigned core)
{
    struct plan *plan = ctx;
    struct seat *seat = plan_seat(plan, core);

    seat->row.nmis = plan->p->nmis() - seat->nmis;
    seat->back = true;
}

uint64_t plan_interruptions(struct plan *plan)
{
    uint64_t all = 0;

    for (unsigned k = 0; k < plan->n; k++) {
        struct seat *seat = &plan->seat[k];
        if (seat->gone || plan_on(plan, k, nmis_here, plan))
            continue;
        all += seat->row.nmis;
        seat->nmis += seat->row.nmis;
    }
    return all;
}

static void release_here(void *ctx, unsigned core)
{
    struct seat *seat = plan_seat(ctx, core);

    cycle_close(&seat->engine);
    seat->back = true;
}

void plan_release(struct plan *plan)
{
    for (unsigned k = 0; k < plan->n; k++)
        if (plan->list[k] > 0 && (!plan->seat[k].gone || plan->seat[k].unlike[0]))
            plan_on(plan, k, release_here, plan);
}
