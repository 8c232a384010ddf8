#include "bench/cores/plan_rows.h"
#include "bench/measure/cycle.h"
#include "bench/measure/engine.h"
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
 * What executes code is one thing for all cores, or figures of different kinds stand in one column.
 * Where the boot core's time is noise, another's is too, whatever its windows look like.
 */
static void compare_execution(struct seat *seat, const struct engine *boot)
{
    struct engine *e = &seat->engine;
    if (e->execution == boot->execution)
        return;
    if (boot->execution == EXEC_EMULATED) {
        e->execution = boot->execution;
        e->ticks_per_instruction = boot->ticks_per_instruction;
        e->samples = boot->samples;
        return;
    }
    fmt_buf(seat->unlike, sizeof seat->unlike,
            "it is judged \"%s\", the boot core \"%s\": it has no rows in this report",
            execution_names[e->execution], execution_names[boot->execution]);
    seat->gone = seat->unlike;
}

bool plan_probe(struct plan *plan, unsigned k)
{
    struct seat *seat = &plan->seat[k];
    const struct engine boot = seat->engine; /* it begins as the boot core's */
    if (plan->list[k] == 0)
        return true;
    if (plan_on(plan, k, probe_here, plan))
        return false;
    compare_execution(seat, &boot);
    return true;
}

static void row_here(void *ctx, unsigned core)
{
    struct plan *plan = ctx;
    struct seat *seat = plan_seat(plan, core);
    engine_row(&seat->engine, plan->bench, &seat->row);
    seat->row.nmis = plan->p->nmis() - seat->nmis;
    if (seat->engine.gate)
        barrier_leave(&plan->barrier, seat->gate.place);
    seat->back = true;
}

static struct core_figure figure_of(const struct row *row)
{
    const struct headline *h = &row->headline;
    if (!h->known)
        return (struct core_figure){UNKNOWN, UNKNOWN, UNKNOWN};
    return (struct core_figure){h->ticks, h->cycles.theta, h->cycles.half};
}

/* A row that the core did not end. */
static void lost_row(const struct plan *plan, struct seat *seat)
{
    memset(&seat->row, 0, sizeof seat->row);
    seat->row.bench = plan->bench;
    seat->row.core = seat->engine.core;
    seat->row.recipe = seat->engine.recipe;
    row_fail(&seat->row, ROW_WRONG, seat->gone);
}

static void measure_alone(struct plan *plan, unsigned k)
{
    struct seat *seat = &plan->seat[k];
    seat->has_row = true;
    seat->engine.gate = NULL;
    plan_on(plan, k, row_here, plan);
    if (seat->gone)
        lost_row(plan, seat);
}

/* What the row on this core adds to what is known of all rows. */
static void note(struct seat *seat, size_t index)
{
    seat->nmis += seat->row.nmis;
    seat->engine.figures[index] = figure_of(&seat->row);
}

void plan_measure(struct plan *plan, const struct bench *b, size_t index, unsigned k)
{
    struct seat *seat = &plan->seat[k];
    plan->bench = b;
    seat->has_row = false;
    if (seat->gone)
        return;
    measure_alone(plan, k);
    note(seat, index);
}

/* Places of the plan whose cores have something to show alone. */
static unsigned measure_each(struct plan *plan)
{
    unsigned n = 0;
    for (unsigned k = 0; k < plan->n; k++) {
        struct seat *seat = &plan->seat[k];
        seat->has_row = false;
        if (seat->gone || plan->pace->stopped)
            continue;
        measure_alone(plan, k);
        seat->alone = figure_of(&seat->row);
        seat->engine.gate = &seat->gate;
        if (seat->row.status == ROW_OK)
            plan->places[n++] = k;
    }
    return n;
}

void plan_measure_together(struct plan *plan, const struct bench *b, size_t index)
{
    plan->bench = b;
    unsigned n = measure_each(plan);
    if (n > 0)
        plan_on_all(plan, plan->places, n, row_here, plan);
    for (unsigned i = 0; i < n; i++) {
        struct seat *seat = &plan->seat[plan->places[i]];
        if (seat->gone)
            lost_row(plan, seat);
        else
            seat->row.alone = seat->alone;
        seat->row.together = n;
    }
    for (unsigned k = 0; k < plan->n; k++)
        if (plan->seat[k].has_row)
            note(&plan->seat[k], index);
}

const struct row *plan_row(const struct plan *plan, unsigned k)
{
    const struct seat *seat = &plan->seat[k];
    return seat->has_row && !plan->pace->stopped ? &seat->row : NULL;
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
