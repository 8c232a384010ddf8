#include "bench/method/bare.h"
#include "bench/context/pace.h"
#include "bench/api/tsc.h"
#include "bench/window/window.h"
#include "lib/text/fmt.h"

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

static uint64_t take(const struct engine *e, window_fn fn)
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
    struct extent s = {e->facts.o->ensembles, e->facts.o->size};
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
    take(e, fn); /* warms caches and predictors */
    uint64_t began = tsc_now();
    for (unsigned i = 0; i < WARM_WINDOWS; i++)
        take(e, fn);
    struct extent s = extent_of(e, (double)(tsc_now() - began) / WARM_WINDOWS);
    ensemble_start(&ensemble, s.size);
    for (uint64_t m = 0; m < s.ensembles && (m < ENSEMBLES_LEAST || pace_go_on(e)); m++)
        for (uint64_t i = 0; i < s.size; i++)
            feed(side, &ensemble, take(e, fn));
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
