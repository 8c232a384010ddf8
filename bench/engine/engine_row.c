#include "bench/engine/engine.h"
#include "bench/engine/guard.h"
#include "bench/engine/budget.h"
#include "bench/engine/barrier.h"
#include "bench/engine/poll.h"
#include "bench/engine/row_figure.h"
#include "bench/engine/layout.h"
#include "bench/engine/method.h"
#include "bench/engine/witness.h"
#include "bench/engine/place.h"
#include "bench/engine/sampler.h"
#include "bench/engine/step_window.h"
#include "bench/engine/stepped.h"
#include "bench/api/tsc.h"
#include "lib/text/fmt.h"

/* Placements that are in the code buffer at once. Each can then have 16 KiB; the longest row takes
 * 7 KiB. A round of a default sweep, 48 placements, is one portion. */
#define PORTION 64

static enum cycles_by cycles_by_of(const struct engine *e)
{
    return e->facts.execution == EXEC_INSTRUCTIONS ? CYCLES_RULER : e->facts.cycle.by;
}

/* Fails the row if it cannot be measured at all. */
static void refuse(const struct engine *e, const struct bench *b, struct row *row)
{
    if (!bench_can_do(b, b->ops) ||
        (!b->window.not_doubled && !b->window.cold && !bench_can_do(b, 2ull * b->ops)))
        outcome_fail(&row->out, ROW_WRONG,
                     "the operations of its windows do not fit its grain and most_ops");
    outcome_fail(&row->out, ROW_UNSUPPORTED, cpu_lacks(e->p->cpu, row->recipe));
    outcome_fail(&row->out, ROW_UNSUPPORTED, engine_lacks(e, b));
}

/* The number of windows, and how they are divided. */
struct amount {
    uint32_t samples;
    unsigned placements, rounds;
};

/* Returns the amount of all rows. Until it is restored, the engine has the amount of this row. */
static struct amount limit_amount(struct engine *e, const struct bench *b)
{
    struct run_facts *f = &e->facts;
    struct amount all = {f->samples, f->placements, f->rounds};

    if (b->window.most_windows == 0)
        return all;
    f->samples = b->window.most_windows < f->samples ? b->window.most_windows : f->samples;
    f->placements = layout_count(f->o, f->samples);
    f->rounds = 1;
    return all;
}

static void restore_amount(struct engine *e, struct amount all)
{
    e->facts.samples = all.samples;
    e->facts.placements = all.placements;
    e->facts.rounds = all.rounds;
}

void engine_begin(struct engine *e, const struct bench *b, struct gathered *g)
{
    struct amount all = limit_amount(e, b);

    gathered_init(g, e);
    g->row.out.bench = b;
    g->row.out.core = e->facts.core;
    g->row.recipe = bench_is_bare(b) || b->window.own_recipe ? b->window.recipe : e->facts.recipe;
    g->row.spread.placements = layout_count(e->facts.o, e->facts.samples);
    g->row.taken.steady = true;
    refuse(e, b, &g->row);
    g->cut = g->row.out.why != NULL;
    restore_amount(e, all);
}

static uint64_t operations_of(const struct bench *b, const struct sampler *s)
{
    return s->windows[KIND_BODY] * b->ops + s->windows[KIND_BODY2] * 2 * b->ops;
}

/* Adds one part's windows and warm-up to the row. */
static void count_windows(const struct sampler *s, struct row *row)
{
    for (unsigned k = 0; k < KINDS; k++)
        row->taken.windows += s->windows[k];
    row->taken.steady = row->taken.steady && s->span.steady;
    row->taken.wide = row->taken.wide || s->wide.used;
    if (s->span.warmup_blocks > row->taken.warmup_blocks)
        row->taken.warmup_blocks = s->span.warmup_blocks;
}

/* Judges the part and adds it to the row. */
static void add_part(struct engine *e, const struct bench *b, const struct part_place *at,
                     struct gathered *g)
{
    struct sampler *s = e->sampler;
    size_t windows = parts_windows_most(e->facts.o, e->facts.samples, 1);
    size_t blocks = parts_blocks_most(e->facts.o, e->facts.samples, 1);

    sampler_judge(s, e);
    if (s->used[KIND_EMPTY])
        row_figure_part(s, b, at, cycles_by_of(e), g, e->memory + sampler_need(windows, blocks));
}

/* Waits for the other cores. If the user stopped the run, the other cores may have noticed first
 * and left; this is not a failure. */
static bool pass_gate(const struct engine *e, uint64_t ticks, struct row *row)
{
    if (gate_pass(e, ticks, &row->out))
        return true;
    if (e->poll && e->poll->stopped) {
        row->out.status = ROW_OK;
        row->out.why = NULL;
    }
    return false;
}

/* A round of a row. */
struct round {
    struct parts parts;
    unsigned from, end; /* parts of this round */
    unsigned placed;    /* the first placement that is not placed; 0: they do not fit */
    uint64_t ticks;     /* of the last part */
    uint64_t began;
    const char *why; /* and `status`: of the row, before the round */
    enum row_status status;
};

/* Places placements from `from` on, at most one portion. */
static void place_portion(struct engine *e, struct gathered *g, struct round *r, unsigned from)
{
    unsigned end = parts_at(&r->parts, r->end - 1).placement + 1;
    unsigned n = end - from < PORTION ? end - from : PORTION;

    r->placed = 0;
    if (place_row(e, g->row.out.bench, g->row.recipe, e->placed, from, n)) {
        r->placed = from + n;
        return;
    }
    fmt_buf(g->row.out.said, sizeof g->row.out.said, "%s", place_why(e));
    outcome_fail(&g->row.out, ROW_WRONG, g->row.out.said);
}

/* Takes part i. False: the row was ended, or the run is stopped, or the other cores, which start at
 * the same time, are missing. */
static bool take_part(struct engine *e, struct gathered *g, struct round *r, unsigned i)
{
    const struct bench *b = g->row.out.bench;
    struct sampling sampling = {.e = e, .b = b, .part = parts_at(&r->parts, i)};

    if (sampling.part.placement >= r->placed)
        place_portion(e, g, r, r->placed);
    if (r->placed == 0)
        return false;
    sampling.p = &e->placed[sampling.part.placement];
    if (!guard_setup(e, &g->row, sampling.p) || !pass_gate(e, r->ticks, &g->row))
        return false;
    uint64_t began = tsc_now();
    bool back = guard_run(e, &g->row.out, sampler_take, &sampling);
    r->ticks = tsc_now() - began;
    g->row.taken.sampling_ticks += r->ticks;
    if (!back || !check_kept(e->sampler->changed, &g->row) || !sampling.done)
        return false;
    uint64_t operations = operations_of(b, e->sampler);
    if (i + 1 == parts_first(&r->parts, e->facts.rounds))
        operations += stepped_left(e, &g->row, sampling.part.placement);
    if (g->row.out.why || !guard_check(e, &g->row, sampling.p, operations))
        return false;
    count_windows(e->sampler, &g->row);
    add_part(e, b, &sampling.part, g);
    return true;
}

/* Fails a row whose rounds together exceed the deadline. Returns whether it did. */
static bool is_overdue(const struct engine *e, struct gathered *g)
{
    struct row *row = &g->row;

    if (!run_has_hz(&e->facts) || (double)g->ran < e->facts.o->deadline * e->facts.tsc_hz)
        return false;
    fmt_buf(row->out.said, sizeof row->out.said,
            "it ran longer than deadline=%u seconds over all rounds and was ended",
            e->facts.o->deadline);
    row->out.ended = true;
    outcome_fail(&row->out, ROW_WRONG, row->out.said);
    return true;
}

/* Places the first portion. Returns whether the round can be taken. */
static bool begin_round(struct engine *e, struct gathered *g, unsigned round, struct round *r)
{
    *r = (struct round){0};
    parts_of(&r->parts, e->facts.o, e->facts.samples, e->facts.rounds);
    r->from = parts_first(&r->parts, round);
    r->end = parts_first(&r->parts, round + 1);
    if (round >= e->facts.rounds)
        return false;
    g->cut = g->cut || (round > 0 && is_overdue(e, g));
    if (!g->cut)
        place_portion(e, g, r, parts_at(&r->parts, r->from).placement);
    g->cut = r->placed == 0;
    return !g->cut;
}

static void begin_parts(struct engine *e, struct gathered *g, struct round *r)
{
    r->why = g->row.out.why;
    r->status = g->row.out.status;
    r->began = tsc_now();
    sampler_init(e->sampler, e, parts_windows_most(e->facts.o, e->facts.samples, 1),
                 parts_blocks_most(e->facts.o, e->facts.samples, 1), g);
    engine_row_begin(e, g->row.out.bench, g->ran);
}

/* If the user stopped the run meanwhile, a row that has complete rounds does not fail. */
static void excuse_stopped(const struct engine *e, const struct round *r, struct gathered *g)
{
    if (!g->row.out.ended || g->rounds == 0 || !e->poll || !e->poll->stopped)
        return;
    g->row.out.ended = false;
    g->row.out.why = r->why;
    g->row.out.status = r->status;
}

/* Ends the round before part i. Counts the row's instructions after the last round. */
static void end_parts(struct engine *e, struct gathered *g, const struct round *r, unsigned i)
{
    bool complete = i == r->end;

    excuse_stopped(e, r, g);
    if (complete && e->facts.o->instructions != INSTRUCTIONS_OFF && !g->row.out.why)
        step_try(e); /* at the first row's first round: the estimate of the time left needs it */
    if (complete && r->end == parts_first(&r->parts, e->facts.rounds))
        stepped_row(e, &g->row, parts_at(&r->parts, r->end - 1).placement);
    e->p->row.end(e->p);
    g->ran += e->p->row.ran ? e->p->row.ran() : tsc_now() - r->began;
    engine_keep(e, g->row.out.kept);
    g->rounds += complete;
    g->cut = !complete && (g->row.out.why || g->rounds == 0);
}

void engine_round(struct engine *e, struct gathered *g, unsigned round)
{
    uint64_t smis = engine_smis(e) - poll_smis(e);
    struct amount all = limit_amount(e, g->row.out.bench);
    struct round r;
    bool can = begin_round(e, g, round, &r);

    if (can && e->facts.o->method != METHOD_DOUBLED) {
        method_row(e, e->placed, &g->row);
        g->rounds++;
    } else if (can) {
        unsigned i = r.from;
        begin_parts(e, g, &r);
        for (; i < r.end && take_part(e, g, &r, i); i++)
            poll_show(e, (double)(i + 1 - r.from) / (r.end - r.from));
        end_parts(e, g, &r, i);
    }
    restore_amount(e, all);
    g->row.out.smis += engine_smis(e) - poll_smis(e) - smis;
}

/* --- the end of a row ------------------------------------------------------------------------- */

/* Returns the core cycles per tick by the counter, or by the row's ruler; 0: not known. */
static double cycles_per_tick(const struct gathered *g)
{
    double ruler = gathered_location(g, KIND_RULER2) - gathered_location(g, KIND_RULER);

    if (g->counter_rate.n)
        return g->counter_rate.mean;
    return ruler > 0 ? RULER_ADDS / ruler : 0;
}

static void summarise(const struct gathered *g, struct row *row)
{
    row->gross.has_net = g->used[KIND_EMPTY];
    if (row->gross.has_net) {
        row->gross.empty = histogram_stats(&g->empty);
        row->gross.net = gathered_location(g, KIND_BODY) - gathered_location(g, KIND_EMPTY);
    }
    row->gross.ticks = histogram_stats(&g->body);
    row->gross.hist = &g->body;
    row->gross.empty_bin = g->empty.width;
    row->cycles_per_tick = cycles_per_tick(g);
}

/* Judges parts again that were exclusive by an older best reading of the witness. */
static void judge_parts_again(const struct engine *e, struct gathered *g)
{
    for (unsigned i = 0; i < g->parts; i++)
        if (g->ruler[i].m + g->counter[i].m > 0 && witness_is_shared(e, g->level[i], g->level[i]))
            row_figure_forget_shared(g, i);
}

static void take_row_figure(const struct engine *e, struct gathered *g, struct row *row)
{
    double *theta = (double *)(void *)e->memory;
    struct row_figure_means means = {theta, theta + row->spread.placements, row->spread.placements,
                                     row->out.bench->window.most_windows ? 1 : e->facts.rounds};
    uint64_t *scratch = e->memory + row->spread.placements + ROUNDS_MOST;

    if (!row->gross.has_net)
        return;
    judge_parts_again(e, g);
    row->taken.shared = !row_figure_is_exclusive(g);
    row->figure = row_figure(g, row->out.bench, e->facts.step, cycles_by_of(e), &means, scratch);
    row->spread.theta = means.theta;
    row->spread.round_theta = means.round;
}

/* Clears the counts of an aborted row; only the number of its windows is reported. */
static void forget(struct row *row)
{
    row->taken.errors = row->taken.errors_outside = row->taken.errors_subtracted =
        row->taken.disturbed = row->taken.unread = row->taken.warmup_blocks = 0;
    row->taken.steady = false;
}

void engine_end(const struct engine *e, struct gathered *g, struct row *row)
{
    *row = g->row;
    if (row->out.why == g->row.out.said)
        row->out.why = row->out.said;
    row->spread.rounds = g->rounds;
    if (row->method.method != METHOD_DOUBLED)
        return;
    if (g->cut) {
        forget(row);
        return;
    }
    summarise(g, row);
    take_row_figure(e, g, row);
    loop_cost(e, g, row);
    check_errors(row->out.bench, row->gross.ticks.n, row);
    check_instructions(e, row);
    check_pace(e, row);
    check_figure(e, row->out.bench, row);
}
