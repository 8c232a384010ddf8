#include "bench/cores/one_core.h"
#include "bench/context/pace.h"
#include "lib/text/mem.h"

struct order {
    struct plan *plan;
    const struct one_core *row;
};

static void measure_here(void *ctx, unsigned core)
{
    const struct order *o = ctx;
    struct plan_core *pc = plan_core(o->plan, core);
    struct engine *e = &pc->engine;
    struct row *row = (struct row *)(void *)e->memory;

    memset(row, 0, o->row->bytes);
    row->bench = o->plan->bench;
    row->core = core;
    span_begin(e, row, o->row->ms);
    o->row->measure(e, e->memory);
    span_end(e, row);
    pc->back = true;
}

void *one_core_measure(struct plan *plan, const struct bench *b, unsigned k,
                       const struct one_core *s)
{
    struct plan_core *pc = &plan->core[k];
    struct order o = {plan, s};

    plan->bench = b;
    plan->stage = k;
    if (pc->gone || plan_on(plan, k, measure_here, &o) || plan->pace->stopped)
        return NULL;
    pc->nmis += ((const struct row *)(const void *)pc->engine.memory)->nmis;
    return pc->engine.memory;
}
