#include "bench/kinds/forms_kind.h"
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

    plan->forms = insn_table_make(plan->forms_memory, plan->o, &here.support, &here.links,
                                  pc->engine.facts.execution == EXEC_INSTRUCTIONS);
    pc->back = true;
}

struct insn_table *forms_plan(struct plan *plan, const struct bench *b, unsigned k)
{
    plan->bench = b;
    plan->stage = k;
    if (plan->core[k].gone || plan_on(plan, k, plan_here, plan))
        return NULL;
    return plan->forms;
}

static void measure_here(void *ctx, unsigned core)
{
    struct plan *plan = ctx;
    struct plan_core *pc = plan_core(plan, core);
    const struct here here = here_now(plan->p);
    uint64_t nmis = plan->p->nmis();

    insn_passes(&pc->engine, &here.links, &here.support, plan->forms);
    pc->nmis += plan->p->nmis() - nmis;
    pc->back = true;
}

bool forms_measure(struct plan *plan, unsigned k)
{
    return !plan->core[k].gone && !plan_on(plan, k, measure_here, plan);
}
