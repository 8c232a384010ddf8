/*
 * The passes of suite `insn`, within time=: a quick one over all forms, so that each has a figure;
 * then three over all forms, each at another placement. Before the last of these come three of
 * mixes, and two over tests whose placements disagree; at the end, more of both.
 */
#include "bench/kinds/forms.h"
#include "bench/api/tsc.h"
#include "bench/engine/poll.h"
#include "bench/kinds/kinds.h"
#include "bench/engine/plan.h"
#include "bench/result/insn.h"

enum { QUICK_WINDOWS = 3, MIX_WINDOWS = 2, WINDOWS = 6 };

/* The passes in order: each form has all kinds of figures before any is repeated. The further
 * passes of histories take little time, because few forms differ in the first, and without them no
 * difference is known. So do those over what three placements have not settled, and over mixes of
 * which a placement was shared: they come before the last pass over all forms, during which the
 * time may end. */
static const struct {
    enum insn_aim aim;
    unsigned windows;
} plan[] = {
    {AIM_ALL, QUICK_WINDOWS},     {AIM_ALL, WINDOWS},           {AIM_ALL, WINDOWS},
    {AIM_MIXES, MIX_WINDOWS},     {AIM_MIXES, MIX_WINDOWS},     {AIM_HISTORY, QUICK_WINDOWS},
    {AIM_HISTORY, QUICK_WINDOWS}, {AIM_HISTORY, QUICK_WINDOWS}, {AIM_MIXES, MIX_WINDOWS},
    {AIM_UNSETTLED, WINDOWS},     {AIM_UNSETTLED, WINDOWS},     {AIM_MIXES, MIX_WINDOWS},
    {AIM_ALL, WINDOWS},           {AIM_UNSETTLED, WINDOWS},     {AIM_MIXES, MIX_WINDOWS},
    {AIM_UNSETTLED, WINDOWS},
};
enum { WHOLE = 13 /* number of passes up to the last over all forms */ };
_Static_assert(WINDOWS <= INSN_WINDOWS_MOST, "they fit a block");

/* Returns whether the pass may take another row: the user has not stopped it, and there is time. */
static bool go_on(const struct engine *e, struct insn_table *t, uint64_t began)
{
    t->ticks = tsc_now() - began;
    t->out_of_time = !t->exact && t->ticks >= t->limit;
    return !t->out_of_time && poll_go_on(e);
}

/* Returns the fraction that is done: of the time, or of the passes over all tests. */
static double done(const struct insn_table *t, unsigned row)
{
    double all = t->exact ? 1 : WHOLE;
    double passes = (t->passes + (double)row / t->rows) / all;
    double time = t->exact ? 0 : (double)t->ticks / (double)t->limit;

    return passes > 1 ? time : passes > time ? passes : time;
}

/* Makes a pass over all rows. The links are measured in each pass, because their costs are
 * subtracted from most latencies. False: it was ended. */
static bool make(const struct insn_pass *pass, uint64_t began)
{
    struct insn_table *t = pass->table;
    struct insn_pass links = *pass;

    links.aim = AIM_ALL;
    links.windows = WINDOWS;

    for (unsigned i = 0; i < t->rows; i++) {
        if (i == t->links && t->passes == 0)
            t->filler = (uint8_t)insn_filler_of(t);
        if (t->row[i].why != INSN_RUNS)
            continue;
        if (!go_on(pass->e, t, began) || !insn_measure(i < t->links ? &links : pass, &t->row[i]))
            return false;
        poll_show(pass->e, done(t, i));
    }
    t->passes++;
    return true;
}

/* Makes all passes. If the user stops them (bench/engine/poll.h), the table has the figures so
 * far. */
static void insn_passes(struct engine *e, const struct insn_links *links,
                        const struct insn_support *s, struct insn_table *t)
{
    struct insn_pass pass = {.e = e,
                             .links = links,
                             .table = t,
                             .avx2 = s->has[INSN_AVX2],
                             .vectors = s->avx512_on ? 512
                                        : s->avx_on  ? 256
                                                     : 128};
    unsigned passes = t->exact ? 1 : sizeof plan / sizeof plan[0];
    uint64_t began = tsc_now();

    t->limit = (uint64_t)(e->facts.o->time * run_limit_hz(&e->facts));
    for (unsigned i = 0; i < passes; i++) {
        pass.at = layout_at(e->facts.o, i);
        pass.windows = t->exact ? 1 : plan[i].windows;
        pass.aim = plan[i].aim;
        if (!make(&pass, began))
            break;
    }
    t->ticks = tsc_now() - began;
}

/* Suite `insn` on a core of the plan: the table of instruction forms. */
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
                                .heading = "forms of instructions: cycles of a copy",
                                .no_body = "it measures forms of instructions",
                                .so_far = "its forms so far",
                                .memory = memory,
                                .guess = guess,
                                .begin = begin,
                                .measure = measure_row};
