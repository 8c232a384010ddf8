#include "bench/engine/ahead.h"
#include "bench/api/registry.h"
#include "bench/engine/poll.h"
#include "bench/engine/place.h"
#include "lib/text/fmt.h"

/* --- the bare windows ------------------------------------------------------------------------- */

#define ENSEMBLES_LEAST 2
#define SIZE_LEAST      2
#define WARM_WINDOWS    32
#define TICKS_MOST      1e9 /* limit per recipe, if the TSC's frequency is not known */

static window_fn build(const struct engine *e, enum recipe recipe)
{
    char tag[32];
    struct code code;

    fmt_buf(tag, sizeof tag, "bare/%s/B", recipe_names[recipe]);
    code_begin(&code, e->p);
    window_fn fn = code_window(&code, &(struct window_spec){
                                          .recipe = recipe,
                                          .xfence_is_lfence = e->xfence_is_lfence,
                                          .name = tag,
                                      });
    code_end(&code);
    return fn;
}

static uint64_t take_bare(const struct engine *e, window_fn fn)
{
    return fn((struct object *)(void *)e->p->data, NULL, 0, 0, WINDOW_STACK).ticks;
}

static void feed(struct method_side *side, struct ensemble *ensemble, uint64_t ticks)
{
    moments_add(&side->all, (double)ticks);
    side->least = ticks < side->least ? ticks : side->least;
    side->greatest = ticks > side->greatest ? ticks : side->greatest;
    ensemble_add(ensemble, ticks);
}

struct extent {
    uint64_t ensembles, size;
};

/* Returns the ensembles and their size by the options, limited to 1 s. `ticks`: per window. */
static struct extent extent_of(const struct engine *e, double ticks)
{
    struct extent s = {e->facts.ensembles, e->facts.size};
    double most = (run_has_hz(&e->facts) ? e->facts.tsc_hz : TICKS_MOST) / ticks;

    if ((double)s.size * ENSEMBLES_LEAST > most)
        s.size = (uint64_t)(most / ENSEMBLES_LEAST);
    if (s.size < SIZE_LEAST)
        s.size = SIZE_LEAST;
    if ((double)s.ensembles * (double)s.size > most)
        s.ensembles = (uint64_t)(most / (double)s.size);
    if (s.ensembles < ENSEMBLES_LEAST)
        s.ensembles = ENSEMBLES_LEAST;
    return s;
}

static void take_recipe(const struct engine *e, enum recipe recipe, struct method_side *side)
{
    window_fn fn = build(e, recipe);
    struct ensemble ensemble;

    *side = (struct method_side){.least = UINT64_MAX};
    take_bare(e, fn); /* warms caches and predictors */
    uint64_t began = tsc_now();
    for (unsigned i = 0; i < WARM_WINDOWS; i++)
        take_bare(e, fn);
    struct extent s = extent_of(e, (double)(tsc_now() - began) / WARM_WINDOWS);
    ensemble_start(&ensemble, s.size);
    for (uint64_t m = 0; m < s.ensembles && (m < ENSEMBLES_LEAST || poll_go_on(e)); m++)
        for (uint64_t i = 0; i < s.size; i++)
            feed(side, &ensemble, take_bare(e, fn));
    side->ensemble = ensemble_judge(&ensemble, e->facts.step);
}

void bare_windows(const struct engine *e, struct bare_window window[RECIPE_COUNT])
{
    for (unsigned r = 0; r < RECIPE_COUNT; r++) {
        window[r].why_not = cpu_lacks(e->p->cpu, (enum recipe)r);
        if (!window[r].why_not)
            take_recipe(e, (enum recipe)r, &window[r].side);
    }
}

/* --- the C program ---------------------------------------------------------------------------- */

static const char *const names[C_STEPS] = {C_STEP_NAMES(WORD_NAME)};

/* Returns the row whose function a step calls. The baseline uses the empty window of do_nothing. */
static const struct bench *row_of(enum c_step step)
{
    size_t n;
    const struct bench *const *rows = registry(&n);
    enum c_step called = step == C_BASELINE ? C_DO_NOTHING : step;

    for (size_t i = 0; i < n; i++)
        if (rows[i]->shown.c_step == called)
            return rows[i];
    return NULL;
}

static struct window_result take_called(const struct placed *p, const struct placed_kind *kind)
{
    return kind->fn(p->object, kind->function, 1, 0, WINDOW_STACK);
}

static void sample(const struct placed *p, const struct placed_kind *kind, uint64_t n,
                   struct c_program *c, enum c_step step)
{
    for (uint64_t i = 0; i < n; i++) {
        struct window_result w = take_called(p, kind);
        if (step != C_BASELINE && w.failed != 0) {
            c->step[step].errors++;
            continue;
        }
        moments_add(&c->step[step].all, (double)w.ticks);
        if (w.ticks < c->step[step].least)
            c->step[step].least = w.ticks;
        if (w.ticks > c->step[step].greatest)
            c->step[step].greatest = w.ticks;
    }
}

static void warm_up(const struct engine *e, const struct placed *p, const struct placed_kind *kind,
                    const struct c_program *c)
{
    if (c->readings)
        c_program_readings(e);
    for (uint32_t i = 0; i < c->warmup; i++)
        take_called(p, kind);
}

/* Takes the samples of a step. False: its functions could not be placed. */
static bool take_step(struct engine *e, struct c_program *c, enum c_step step)
{
    const struct bench *b = row_of(step);
    struct placed *p = e->placed;

    c->step[step].least = UINT64_MAX;
    if (!b || !place_row(e, b, e->facts.recipe, p, 0, 1)) {
        c->why_not = b ? place_why(e) : "its rows are not in this program";
        return false;
    }
    place_object(p);
    const struct placed_kind *kind = &p->kind[step == C_BASELINE ? KIND_EMPTY : KIND_BODY];
    if (step == C_BASELINE)
        warm_up(e, p, kind, c);
    sample(p, kind, e->facts.samples, c, step);
    if (step != C_BASELINE && p->check)
        c->step[step].wrong = p->check(p->object, e->facts.samples);
    return true;
}

void c_program(struct engine *e, struct c_program *c)
{
    bool readings = c_program_warms(e);

    *c = (struct c_program){.readings = readings ? C_READINGS : 0,
                            .warmup = readings ? 0 : e->facts.o->warmup * ENGINE_BLOCK};
    for (unsigned step = 0; step < C_STEPS; step++)
        c->step[step].name = names[step];
    for (unsigned step = 0; step < C_STEPS; step++)
        if (!take_step(e, c, (enum c_step)step))
            return;
}
