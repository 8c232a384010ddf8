/* Suite `insn` on a core of the plan: the table of instruction forms. */
#include "bench/kinds/kinds.h"
#include "bench/engine/plan.h"
#include "bench/result/insn.h"
#include "bench/kinds/insn_forms.h"
#include "bench/kinds/insn_passes.h"

/* The facts that planning and measuring need. They are found again on each core, because the cores
 * of one machine can differ. */
struct here {
    struct insn_links links;
    struct insn_support support;
};

static struct here here_now(const struct platform *p)
{
    struct here here = {.support = insn_support_here(p)};

    insn_links_find(&here.links); /* all are there: a unit test */
    return here;
}

static void plan_here(void *ctx, unsigned core)
{
    struct plan *plan = ctx;
    struct plan_core *pc = plan_core(plan, core);
    const struct here here = here_now(plan->p);

    plan->forms = insn_table_make(plan->shared, plan->o, &here.support, &here.links,
                                  pc->engine.facts.execution == EXEC_INSTRUCTIONS);
    plan->forms->out = (struct outcome){.bench = plan->bench, .core = core};
    pc->back = true;
}

static const struct outcome *begin(struct plan *plan, const struct bench *b, unsigned k)
{
    plan->bench = b;
    plan->stage = k;
    if (plan->core[k].gone || plan_on(plan, k, plan_here, plan))
        return NULL;
    return &plan->forms->out;
}

static void measure_here(void *ctx, unsigned core)
{
    struct plan *plan = ctx;
    struct plan_core *pc = plan_core(plan, core);
    const struct here here = here_now(plan->p);
    uint64_t nmis = plan->p->events.nmis();

    insn_passes(&pc->engine, &here.links, &here.support, plan->forms);
    pc->nmis += plan->p->events.nmis() - nmis;
    pc->back = true;
}

/* If the user stops the run, the table has the figures so far. */
static const struct outcome *measure_row(struct plan *plan, const struct bench *b, unsigned k)
{
    (void)b;
    if (plan->core[k].gone || plan_on(plan, k, measure_here, plan))
        return NULL;
    return &plan->forms->out;
}

static size_t memory(const struct options *o, unsigned all)
{
    (void)all;
    return insn_table_bytes(o);
}

static double guess(const struct engine *e, const struct bench *b)
{
    (void)b;
    return e->facts.o->time * run_limit_hz(&e->facts);
}

const struct kind kind_forms = {.name = "insn",
                                .timed = true,
                                .options = OPTIONS_FORMS,
                                .no_body = "it measures forms of instructions",
                                .so_far = "its forms so far",
                                .memory = memory,
                                .guess = guess,
                                .begin = begin,
                                .measure = measure_row};
