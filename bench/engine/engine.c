#include "bench/engine/engine.h"
#include "bench/engine/cycle.h"
#include "bench/engine/compiled.h"
#include "bench/engine/cut.h"
#include "bench/engine/row_figure.h"
#include "bench/engine/interleave.h"
#include "bench/engine/layout.h"
#include "bench/engine/place.h"
#include "bench/engine/sampler.h"
#include "lib/text/fmt.h"

/* --- memory ----------------------------------------------------------------------------------- */

uint32_t engine_samples_most(const struct options *o)
{
    return o->samples ? o->samples : SAMPLES_AUTO;
}

/* Returns the words for a part and its figure. Several rounds never need more than one. */
static size_t part_need(const struct options *o, uint32_t samples)
{
    size_t blocks = parts_blocks_most(o, samples, 1);

    return sampler_need(parts_windows_most(o, samples, 1), blocks) + row_figure_part_need(blocks);
}

/* Returns the words for the figures of placements and rounds, and the figure's scratch. */
static size_t end_need(const struct options *o, uint32_t samples)
{
    unsigned placements = layout_count(o, samples);

    return placements + ROUNDS_MOST +
           row_figure_need(parts_blocks(o, samples, ROUNDS_MOST), placements);
}

size_t engine_need(const struct options *o)
{
    uint32_t samples = engine_samples_most(o);
    size_t part = part_need(o, samples), end = end_need(o, samples);
    size_t row = part > end ? part : end;

    return cut_words(sizeof(struct sampler)) + cut_words(sizeof(struct compiled)) +
           cut_words(layout_count(o, samples) * sizeof(struct placed)) +
           gathered_need(o, samples, 1) + (row > INTERLEAVE_NEED ? row : INTERLEAVE_NEED);
}

void engine_memory(struct engine *e, uint64_t *memory)
{
    uint32_t samples = engine_samples_most(e->facts.o);

    e->sampler = (struct sampler *)(void *)memory;
    memory += cut_words(sizeof *e->sampler);
    e->compiled = (struct compiled *)(void *)memory;
    compiled_init(e->compiled);
    memory += cut_words(sizeof *e->compiled);
    e->placed = (struct placed *)(void *)memory;
    memory += cut_words(layout_count(e->facts.o, samples) * sizeof *e->placed);
    e->gathered = (struct gathered *)(void *)memory;
    e->memory = memory + gathered_need(e->facts.o, samples, 1);
}

/* --- shared by all rows ----------------------------------------------------------------------- */

/* method=plain uses its author's recipe, which bends on some CPUs; the row's error includes that.
 */
static enum recipe recipe_of(const struct cpu *cpu, const struct options *o)
{
    if (o->recipe != RECIPE_AUTO)
        return o->recipe;
    return o->method == METHOD_PLAIN && !cpu_lacks(cpu, RECIPE_XFENCE) ? RECIPE_XFENCE
                                                                       : cpu_default_recipe(cpu);
}

void engine_init(struct engine *e, const struct platform *p, const struct options *o)
{
    *e = (struct engine){
        .p = p,
        .xfence_is_lfence = p->cpu->vendor == VENDOR_INTEL,
        .facts = {.platform = p->name,
                  .cpu = p->cpu,
                  .o = o,
                  .counts_smis = p->events.smis != NULL,
                  .kept = &p->kept,
                  .cores = 1,
                  .recipe = recipe_of(p->cpu, o),
                  .probed = o->recipe == RECIPE_AUTO ? cpu_default_recipe(p->cpu) : o->recipe,
                  .execution = EXEC_SILICON,
                  .samples = engine_samples_most(o),
                  .ensembles = o->ensembles ? o->ensembles : ENSEMBLES_AUTO,
                  .size = o->size ? o->size : SIZE_AUTO,
                  .rounds = 1,
                  .step = 1,
                  .witness = {.why_not = "no core was probed"}},
    };
    engine_memory(e, p->memory);
}

/* Counted windows are all the same number, so a few are enough unless the user wants more. */
static void take_fewer(struct run_facts *f)
{
    if (f->o->samples == 0)
        f->samples = SAMPLES_AUTO_EXACT;
    if (f->o->ensembles == 0)
        f->ensembles = ENSEMBLES_AUTO_EXACT;
    if (f->o->size == 0)
        f->size = SIZE_AUTO_EXACT;
}

void engine_executed_by(struct engine *e, const struct behave_verdict *v)
{
    e->facts.execution = v->execution;
    e->facts.ticks_per_instruction = v->ticks_per_instruction;
    if (e->facts.execution == EXEC_INSTRUCTIONS)
        take_fewer(&e->facts);
    e->facts.placements = layout_count(e->facts.o, e->facts.samples);
    e->facts.rounds = 1;
    if (e->facts.execution == EXEC_SILICON && e->facts.o->method == METHOD_DOUBLED)
        e->facts.rounds = parts_rounds(e->facts.o, e->facts.samples, e->facts.o->rounds);
}

void engine_timers(struct engine *e)
{
    struct timer_order order = timer_list_order(&e->facts.o->clock, &timer_clocks);

    timer_choose(&e->facts.clock, &order, &timer_clocks, e->p->timers.clock, e->p->context);
    e->facts.tsc_hz = e->facts.clock.used ? (double)e->facts.clock.used->tsc_hz : 0;
    cycle_open(e);
    compensate_open(e);
}

bool engine_check(const struct engine *e, struct sink *err)
{
    const struct timer_choice *c = &e->facts.clock;
    char text[TIMER_LIST_TEXT];

    if (!timer_check(c, &e->facts.o->clock, &timer_clocks, err) || !cycle_check_words(e, err))
        return false;
    if (e->facts.o->method != METHOD_ADAPTIVE || c->used)
        return true;
    timer_list_text(&e->facts.o->clock, CLOCK_WORDS, text);
    fmt(err,
        "method=adaptive with clock=%s: it times its stretches by a clock, and no clock starts "
        "here "
        "(",
        text);
    for (unsigned i = 0; i < c->refusals; i++)
        fmt(err, "%s%s: %s", i ? "; " : "", c->refusal[i].name, c->refusal[i].why);
    fmt(err, "); `list` shows which clocks do");
    return false;
}

void engine_release(struct engine *e)
{
    timer_release(&e->facts.clock);
    cycle_close(e);
}
