#include "bench/engine/probe_run.h"
#include "bench/api/tsc.h"
#include "bench/engine/window.h"
#include "lib/text/fmt.h"

#define PARTS_A_S  100   /* a recipe may take 1 s / PARTS_A_S */
#define TICKS_MOST 2.5e7 /* the same in ticks, if the TSC's frequency is not known */
#define WAYS_MOST  4     /* forward, back, forward, back */

extern const struct unit unit_chain_add, unit_chain_before;

static void build_bodies(const struct engine *e, enum recipe recipe, window_fn fn[GROWING_BODIES])
{
    const unsigned bodies = growing_bodies(e->facts.execution);
    char tag[48];
    struct code code;

    fmt_buf(tag, sizeof tag, "growing/%s/B", recipe_names[recipe]);
    code_begin(&code, e->p);
    for (unsigned i = 0; i < bodies; i++)
        fn[i] = code_window(&code, &(struct window_spec){
                                       .recipe = recipe,
                                       .xfence_is_lfence = e->xfence_is_lfence,
                                       .name = tag,
                                       .before = &unit_chain_before,
                                       .unit = &unit_chain_add,
                                       .copies = i * growing_step(e->facts.execution),
                                   });
    code_end(&code);
}

/* Takes a block of windows of each body, from the shortest to the longest or back. */
static void take_way(const struct engine *e, const window_fn *fn, unsigned block, unsigned way,
                     uint64_t *least)
{
    const unsigned bodies = growing_bodies(e->facts.execution);
    struct object *o = (struct object *)(void *)e->p->data;

    for (unsigned k = 0; k < bodies; k++) {
        unsigned i = way % 2 ? bodies - 1 - k : k;
        for (unsigned n = 0; n < block; n++) {
            uint64_t delay = dither(e, way * block + n);
            uint64_t ticks = fn[i](o, NULL, 0, delay, WINDOW_STACK).ticks;
            least[i] = ticks < least[i] ? ticks : least[i];
        }
    }
}

static void forget(uint64_t least[GROWING_BODIES])
{
    for (unsigned i = 0; i < GROWING_BODIES; i++)
        least[i] = UINT64_MAX;
}

double growing_ticks(const struct engine *e)
{
    return run_has_hz(&e->facts) ? e->facts.tsc_hz / PARTS_A_S : TICKS_MOST;
}

unsigned growing_take(const struct engine *e, enum recipe recipe, uint64_t least[GROWING_BODIES])
{
    window_fn fn[GROWING_BODIES];
    unsigned block = 1, ways = 2;

    build_bodies(e, recipe, fn);
    forget(least);
    take_way(e, fn, 1, 0, least); /* warms caches and predictors */
    uint64_t began = tsc_now();
    take_way(e, fn, 1, 1, least);
    double once = (double)(tsc_now() - began);
    if (e->facts.execution == EXEC_SILICON) {
        double most = growing_ticks(e) / once;
        ways = most < 2 * WAYS_MOST ? 2 : WAYS_MOST;
        block = most > WAYS_MOST * ENGINE_BLOCK ? ENGINE_BLOCK : (unsigned)most / ways;
        block = block > 0 ? block : 1;
    }
    forget(least);
    for (unsigned way = 0; way < ways; way++)
        take_way(e, fn, block, way, least);
    return ways * block;
}
