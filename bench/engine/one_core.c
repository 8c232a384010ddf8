#include "bench/engine/plan.h"
#include "bench/api/tsc.h"
#include "bench/engine/poll.h"
#include "lib/text/mem.h"
#include "lib/text/str.h"

#define AT_MOST 2 /* times its own time that a row may take */

struct order {
    struct plan *plan;
    const struct one_core *row;
};

/* Gives a row its time, and what is left of that of earlier rows of its suite. */
static void give_time(struct engine *e, const struct bench *b, unsigned ms)
{
    struct spare *s = &e->spare;

    if (!s->suite || !str_eq(s->suite, b->suite))
        *s = (struct spare){.suite = b->suite};
    double most = s->ms + ms;
    s->row = most < AT_MOST * ms ? (unsigned)most : AT_MOST * ms;
    s->ms = most;
}

/* Takes the time off that the row has used. */
static void take_time(struct engine *e, uint64_t ticks)
{
    e->spare.ms -= (double)ticks / run_limit_hz(&e->facts) * 1e3;
    if (e->spare.ms < 0)
        e->spare.ms = 0;
}

static void measure_here(void *ctx, unsigned core)
{
    const struct order *o = ctx;
    struct plan_core *pc = plan_core(o->plan, core);
    struct engine *e = &pc->engine;
    struct outcome *out = (struct outcome *)(void *)e->memory;

    memset(out, 0, o->row->bytes);
    out->bench = o->plan->bench;
    out->core = core;
    give_time(e, o->plan->bench, o->plan->bench->kind->ms(o->plan->bench));
    span_begin(e, out, e->spare.row);
    uint64_t from = tsc_now();
    o->row->measure(e, e->memory);
    take_time(e, tsc_now() - from);
    span_end(e, out);
    pc->back = true;
}

void *one_core_measure(struct plan *plan, const struct bench *b, unsigned k,
                       const struct one_core *s)
{
    struct plan_core *pc = &plan->core[k];
    struct order o = {plan, s};

    plan->bench = b;
    plan->stage = k;
    if (pc->gone || plan_on(plan, k, measure_here, &o) || plan->poll->stopped)
        return NULL;
    pc->nmis += ((const struct outcome *)(const void *)pc->engine.memory)->nmis;
    return pc->engine.memory;
}
