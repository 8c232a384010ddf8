#include "bench/measure/engine.h"
#include "bench/measure/gate.h"
#include "bench/measure/interleave.h"
#include "bench/measure/place.h"
#include "bench/measure/sampler.h"
#include "bench/measure/tsc.h"
#include "lib/text/mem.h"

#define SAMPLES_AUTO  2048  /* docs/method.md, "plain": N = 2048 */
#define SAMPLES_EXACT 64    /* where every sample is the same number */
#define TRUTH_WITHIN  0.005 /* docs/method.md "Truth": add and ror within 0.5% of 1, imul of 3 */

/* Words that hold `bytes`. */
static size_t words(size_t bytes)
{
    return (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t);
}

static uint32_t samples_at_most(const struct options *o)
{
    return o->samples ? o->samples : SAMPLES_AUTO;
}

size_t engine_need(const struct options *o)
{
    uint32_t samples = samples_at_most(o);
    unsigned placements = layout_count(o, samples);
    size_t row = sampler_need(sampler_windows(o, samples), placements);
    return words(sizeof(struct sampler)) + words(placements * sizeof(struct placed)) +
           (row > INTERLEAVE_NEED ? row : INTERLEAVE_NEED);
}

void engine_memory(struct engine *e, uint64_t *memory)
{
    e->sampler = (struct sampler *)(void *)memory;
    memory += words(sizeof *e->sampler);
    e->placed = (struct placed *)(void *)memory;
    e->memory = memory + words(layout_count(e->o, samples_at_most(e->o)) * sizeof *e->placed);
}

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

void engine_found(struct engine *e, const struct behave_verdict *v)
{
    e->execution = v->execution;
    e->ticks_per_instruction = v->ticks_per_instruction;
    if (e->o->samples == 0 && e->execution == EXEC_INSTRUCTIONS)
        e->samples = SAMPLES_EXACT;
}

void engine_timers(struct engine *e)
{
    timer_choose(&e->clock, &e->o->clock, CLOCK_WORDS, e->p->clock);
    e->tsc_hz = e->clock.used ? (double)e->clock.used->tsc_hz : 0;
    cycle_open(e);
}

void engine_release(struct engine *e)
{
    timer_release(&e->clock);
    cycle_close(e);
}

/* The work of one placement: what its body's windows must have left behind. */
static void check_work(const struct bench *b, const struct placed *p, const struct sampler *s,
                       struct row *row)
{
    uint64_t operations = s->windows[KIND_BODY] * b->ops + s->windows[KIND_BODY2] * 2 * b->ops;
    const char *wrong = b->check ? b->check(p->object, operations) : NULL;
    if (wrong && !row->why) {
        row->status = ROW_WRONG;
        row->why = wrong;
    }
}

/* False: the other cores, which were to start at the same time, are gone. */
static bool take_all(struct engine *e, const struct bench *b, const struct placed *placed,
                     struct sampler *s, struct row *row)
{
    uint64_t began = tsc_now(), before = began;
    unsigned i = 0;
    e->p->row(b->suite, b->name);
    for (; i < s->placements; i++) {
        place_object(b, &placed[i]);
        if (!gate_pass(e, tsc_now() - before, row))
            break;
        before = tsc_now();
        sampler_take(s, e, b, &placed[i], i);
        check_work(b, &placed[i], s, row);
        for (unsigned k = 0; k < KINDS; k++)
            row->windows += s->windows[k];
    }
    row->sampling_ticks = tsc_now() - began;
    e->p->row(NULL, NULL);
    return i == s->placements;
}

static void judge_errors(const struct bench *b, struct row *row)
{
    if (row->why)
        return;
    if (row->ticks.n == 0)
        row->why = "every operation failed";
    else if (b->errors_are_wrong && row->errors)
        row->why = "an operation returned an error";
    if (row->why)
        row->status = ROW_WRONG;
}

/* docs/method.md "Elided work" and "Truth": on silicon, where the figure is one of a CPU. */
static void judge_figure(const struct engine *e, const struct bench *b, struct row *row)
{
    const struct headline *h = &row->headline;
    bool known = h->cycles.theta == h->cycles.theta;
    const struct estimate *c = known ? &h->cycles : &h->ruler.cycles;
    row->truth = b->truth ? b->truth(e->p->cpu) : 0;
    if (row->why || e->execution != EXEC_SILICON || !row->headline.known)
        return;
    double off = c->theta < row->truth ? row->truth - c->theta : c->theta - row->truth;
    double allowed = row->truth * TRUTH_WITHIN;
    if (c->half > allowed)
        allowed = c->half;
    if (b->floor > 0 && c->theta < b->floor)
        row->why = "the work is gone: an operation takes less than any CPU needs for it";
    else if (row->truth > 0 && !(off <= allowed))
        row->why = "not the documented figure, by more than its interval";
    if (row->why)
        row->status = ROW_WRONG;
}

/* The core's clock by the counter, or by the row's own ruler. */
static double cycles_per_tick(const struct sampler *s)
{
    double ruler = (s->location[KIND_RULER2] - s->location[KIND_RULER]) / RULER_ADDS;
    if (s->ratio.n)
        return s->ratio.mean;
    return s->used[KIND_RULER2] && ruler > 0 ? 1 / ruler : 0;
}

static void evaluate(const struct engine *e, const struct bench *b, struct sampler *s,
                     struct row *row)
{
    sampler_judge(s, e);
    if (s->used[KIND_EMPTY]) {
        row->empty = sampler_summary(s, KIND_EMPTY);
        row->has_net = true;
        row->net = s->location[KIND_BODY] - s->location[KIND_EMPTY];
    }
    if (row->has_net)
        row->headline =
            headline(s, b, e->step, e->execution == EXEC_INSTRUCTIONS ? CYCLES_RULER : e->cycle.by);
    row->theta = s->theta;
    row->ticks = sampler_summary(s, KIND_BODY);
    row->sorted = s->sorted;
    row->errors = s->errors;
    row->disturbed = s->disturbed[KIND_BODY];
    row->placements = s->placements;
    row->unread = s->unread;
    row->cycles_per_tick = cycles_per_tick(s);
    row->steady = true;
    for (unsigned i = 0; i < s->placements; i++) {
        row->steady = row->steady && s->span[i].steady;
        if (s->span[i].warmup_blocks > row->warmup_blocks)
            row->warmup_blocks = s->span[i].warmup_blocks;
    }
    judge_errors(b, row);
    judge_figure(e, b, row);
}

static void measure(struct engine *e, const struct bench *b, struct row *row)
{
    struct placed *placed = e->placed;
    struct sampler *s = e->sampler;

    row->recipe = b->form == FORM_EMPTY ? b->recipe : e->recipe;
    row->why = cpu_lacks(e->p->cpu, row->recipe);
    if (!row->why && b->needs)
        row->why = e->p->lacks(b->needs);
    if (row->why) {
        row->status = ROW_UNSUPPORTED;
        return;
    }
    unsigned n = layout_count(e->o, e->samples);
    if (!place_row(e, b, row->recipe, placed, n)) {
        row->status = ROW_WRONG;
        row->why = "the row's windows do not fit the code buffer";
        return;
    }
    if (e->o->method != METHOD_DOUBLED && b->form != FORM_EMPTY) {
        method_row(e, placed, row);
        return;
    }
    sampler_init(s, e, n);
    if (take_all(e, b, placed, s, row))
        evaluate(e, b, s, row);
}

void engine_row(struct engine *e, const struct bench *b, struct row *row)
{
    uint64_t smis = engine_smis(e);

    memset(row, 0, sizeof *row);
    row->bench = b;
    row->core = e->core;
    measure(e, b, row);
    row->smis = engine_smis(e) - smis;
}
