#include "bench/measure/engine.h"
#include "bench/measure/check.h"
#include "bench/measure/compiled.h"
#include "bench/measure/cycle.h"
#include "bench/measure/gate.h"
#include "bench/measure/guard.h"
#include "bench/measure/headline.h"
#include "bench/measure/interleave.h"
#include "bench/measure/layout.h"
#include "bench/measure/method.h"
#include "bench/measure/pace.h"
#include "bench/measure/place.h"
#include "bench/measure/sampler.h"
#include "bench/measure/tsc.h"
#include "lib/text/fmt.h"
#include "lib/text/mem.h"

/* --- memory ----------------------------------------------------------------------------------- */

/* Words that hold `bytes`. */
static size_t words(size_t bytes)
{
    return (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t);
}

static uint32_t samples_at_most(const struct options *o)
{
    return o->samples ? o->samples : SAMPLES_AUTO;
}

/* A row's memory: what the sampler carves up, the placements' figures, the headline's scratch. */
static size_t row_need(size_t windows, unsigned placements)
{
    return sampler_need(windows, placements) + placements +
           headline_need(sampler_blocks(windows, placements), placements);
}

size_t engine_need(const struct options *o)
{
    uint32_t samples = samples_at_most(o);
    unsigned placements = layout_count(o, samples);
    size_t row = row_need(sampler_windows(o, samples), placements);
    return words(sizeof(struct sampler)) + words(sizeof(struct compiled)) +
           words(placements * sizeof(struct placed)) +
           (row > INTERLEAVE_NEED ? row : INTERLEAVE_NEED);
}

void engine_memory(struct engine *e, uint64_t *memory)
{
    e->sampler = (struct sampler *)(void *)memory;
    memory += words(sizeof *e->sampler);
    e->compiled = (struct compiled *)(void *)memory;
    compiled_init(e->compiled);
    memory += words(sizeof *e->compiled);
    e->placed = (struct placed *)(void *)memory;
    e->memory = memory + words(layout_count(e->o, samples_at_most(e->o)) * sizeof *e->placed);
}

/* --- what all rows share ---------------------------------------------------------------------- */

void engine_init(struct engine *e, const struct platform *p, const struct options *o)
{
    *e = (struct engine){
        .p = p,
        .o = o,
        .cores = 1,
        .recipe = o->recipe == RECIPE_AUTO ? cpu_default_recipe(p->cpu) : o->recipe,
        .xfence_is_lfence = p->cpu->vendor == VENDOR_INTEL,
        .execution = EXEC_SILICON,
        .samples = samples_at_most(o),
        .step = 1,
    };
    engine_memory(e, p->memory);
}

void engine_executed_by(struct engine *e, const struct behave_verdict *v)
{
    e->execution = v->execution;
    e->ticks_per_instruction = v->ticks_per_instruction;
    if (e->o->samples == 0 && e->execution == EXEC_INSTRUCTIONS)
        e->samples = SAMPLES_AUTO_EXACT;
}

void engine_timers(struct engine *e)
{
    timer_choose(&e->clock, &e->o->clock, CLOCK_WORDS, e->p->clock, e->p->context);
    e->tsc_hz = e->clock.used ? (double)e->clock.used->tsc_hz : 0;
    cycle_open(e);
}

bool engine_check(const struct engine *e, struct sink *err)
{
    const struct timer_choice *c = &e->clock;
    if (e->o->method != METHOD_ADAPTIVE || c->used)
        return true;
    fmt(err, "method=adaptive with clock=");
    for (unsigned i = 0; i < c->refusals; i++)
        fmt(err, "%s%s", i ? "," : "", c->refusal[i].name);
    fmt(err, ": it times its stretches by a clock, and none of these starts here (");
    for (unsigned i = 0; i < c->refusals; i++)
        fmt(err, "%s%s: %s", i ? "; " : "", c->refusal[i].name, c->refusal[i].why);
    fmt(err, "); `list` shows which clocks do");
    return false;
}

void engine_release(struct engine *e)
{
    timer_release(&e->clock);
    cycle_close(e);
}

/* --- a row: plan, place, warm and sample, judge, headline, check ------------------------------ */

static void begin_row(const struct engine *e, const struct bench *b, struct row *row)
{
    memset(row, 0, sizeof *row);
    row->bench = b;
    row->core = e->core;
    row->recipe = b->form == FORM_EMPTY ? b->recipe : e->recipe;
    row->placements = layout_count(e->o, e->samples);
    if (!bench_can_do(b, b->ops) ||
        (!b->not_doubled && !b->cold && !bench_can_do(b, 2ull * b->ops)))
        row_fail(row, ROW_WRONG, "the operations of its windows do not fit its grain and most_ops");
    row_fail(row, ROW_UNSUPPORTED, cpu_lacks(e->p->cpu, row->recipe));
    if (b->needs)
        row_fail(row, ROW_UNSUPPORTED, e->p->lacks(b->needs));
}

static void place(struct engine *e, const struct bench *b, struct row *row)
{
    if (place_row(e, b, row->recipe, e->placed, 0, row->placements))
        return;
    fmt_buf(row->said, sizeof row->said, "%s", place_why(e));
    row_fail(row, ROW_WRONG, row->said);
}

/* What one placement's windows did. */
static void count_work(const struct bench *b, const struct placed *p, const struct sampler *s,
                       struct row *row)
{
    uint64_t operations = s->windows[KIND_BODY] * b->ops + s->windows[KIND_BODY2] * 2 * b->ops;
    check_work(p, operations, row);
    for (unsigned k = 0; k < KINDS; k++)
        row->windows += s->windows[k];
}

/* What sampler_take() is called with, guarded. */
struct sampling {
    struct engine *e;
    const struct bench *b;
    unsigned i; /* the placement */
    bool done;  /* false: the run is stopped */
};

static void take_placement(void *ctx)
{
    struct sampling *t = ctx;
    t->done = sampler_take(t->e->sampler, t->e, t->b, &t->e->placed[t->i], t->i);
}

/* Placement after placement. False: the row was ended, or the other cores, which were to start at
 * the same time, are gone; or the run is stopped. */
static bool sample(struct engine *e, const struct bench *b, struct row *row)
{
    struct sampler *s = e->sampler;
    uint64_t began = tsc_now(), before = began;
    unsigned i = 0;
    sampler_init(s, e, row->placements);
    e->p->row_begin(e->p, b->suite, b->name);
    for (; i < s->placements; i++) {
        const struct placed *p = &e->placed[i];
        place_object(p);
        if (!gate_pass(e, tsc_now() - before, row))
            break;
        before = tsc_now();
        struct sampling sampling = {e, b, i, false};
        if (!guard_run(e, row, take_placement, &sampling) || !sampling.done)
            break;
        count_work(b, p, s, row);
        pace_show(e, (double)(i + 1) / s->placements);
    }
    row->sampling_ticks = tsc_now() - began;
    e->p->row_end(e->p);
    return i == s->placements;
}

/* The core's clock by the counter, or by the row's own ruler; 0: not known. */
static double cycles_per_tick(const struct sampler *s)
{
    double ruler = (s->location[KIND_RULER2] - s->location[KIND_RULER]) / RULER_ADDS;
    if (s->counter_rate.n)
        return s->counter_rate.mean;
    return s->used[KIND_RULER2] && ruler > 0 ? 1 / ruler : 0;
}

static void note_warm_up(const struct sampler *s, struct row *row)
{
    row->steady = true;
    for (unsigned i = 0; i < s->placements; i++) {
        row->steady = row->steady && s->span[i].steady;
        if (s->span[i].warmup_blocks > row->warmup_blocks)
            row->warmup_blocks = s->span[i].warmup_blocks;
    }
}

static void judge(const struct engine *e, struct row *row)
{
    struct sampler *s = e->sampler;
    sampler_judge(s, e);
    row->has_net = s->used[KIND_EMPTY];
    if (row->has_net) {
        row->empty = sampler_summary(s, KIND_EMPTY);
        row->net = s->location[KIND_BODY] - s->location[KIND_EMPTY];
    }
    row->ticks = sampler_summary(s, KIND_BODY);
    row->sorted = s->sorted;
    row->errors = s->errors;
    row->disturbed = s->disturbed[KIND_BODY];
    row->unread = s->unread;
    row->cycles_per_tick = cycles_per_tick(s);
    note_warm_up(s, row);
}

static void take_headline(const struct engine *e, const struct bench *b, struct row *row)
{
    const struct sampler *s = e->sampler;
    double *theta = (double *)(void *)(e->memory + sampler_need(s->n, s->placements));
    uint64_t *scratch = (uint64_t *)(void *)(theta + s->placements);
    enum cycles_by by = e->execution == EXEC_INSTRUCTIONS ? CYCLES_RULER : e->cycle.by;
    if (row->has_net)
        row->headline = headline(s, b, e->step, by, theta, scratch);
    row->theta = theta;
}

static void check(const struct engine *e, const struct bench *b, struct row *row)
{
    check_errors(b, row->ticks.n, row);
    check_figure(e, b, row);
}

static void measure(struct engine *e, const struct bench *b, struct row *row)
{
    begin_row(e, b, row);
    if (!row->why)
        place(e, b, row);
    if (row->why)
        return;
    if (e->o->method != METHOD_DOUBLED) {
        method_row(e, e->placed, row);
        return;
    }
    if (!sample(e, b, row))
        return;
    judge(e, row);
    take_headline(e, b, row);
    check(e, b, row);
}

void engine_row(struct engine *e, const struct bench *b, struct row *row)
{
    uint64_t smis = engine_smis(e) - pace_smis(e);
    measure(e, b, row);
    row->smis = engine_smis(e) - pace_smis(e) - smis;
}
