#include "bench/engine/plan.h"
#include "bench/api/kind.h"
#include "bench/api/registry.h"
#include "bench/engine/cycle.h"
#include "bench/engine/engine.h"
#include "bench/engine/gathered.h"
#include "bench/engine/layout.h"
#include "lib/stats/mathx.h"
#include "bench/engine/probe_run.h"
#include "lib/config/choices.h"
#include "lib/text/fmt.h"
#include "lib/text/mem.h"

/* --- memory ----------------------------------------------------------------------------------- */

/* Allocates the platform's memory in whole lines, so that no two cores share a cache line. */
struct cut {
    uintptr_t at;
};

static void *take(struct cut *c, size_t bytes)
{
    uintptr_t at = (c->at + BARRIER_LINE - 1) & ~(uintptr_t)(BARRIER_LINE - 1);

    c->at = at + bytes;
    return (void *)at;
}

/* Returns the words of an engine's memory, in whole lines. */
static size_t engine_words(const struct options *o)
{
    const size_t line = BARRIER_LINE / sizeof(uint64_t);

    return (engine_need(o) + line - 1) / line * line;
}

bool plan_in_rounds(const struct options *o, const struct bench *b)
{
    return o->method == METHOD_DOUBLED && bench_has_windows(b);
}

/* Returns the bytes that the kinds of the selected rows share: rows are measured one after
 * another. */
static size_t shared_need(const struct options *o, unsigned all)
{
    size_t rows, most = 0;
    const struct bench *const *row = registry(&rows);

    for (size_t i = 0; i < rows; i++) {
        const struct kind *kind = row[i]->kind;
        size_t need =
            kind && kind->memory && registry_selects(o, row[i]) ? kind->memory(o, all) : 0;
        most = need > most ? need : most;
    }
    return most;
}

static size_t rows_in_rounds(const struct options *o)
{
    size_t rows, kept = 0;
    const struct bench *const *row = registry(&rows);

    for (size_t i = 0; i < rows; i++)
        kept += plan_in_rounds(o, row[i]) && registry_selects(o, row[i]);
    return kept;
}

/* Returns the number of stored results for n cores. share=together has two of each row per core. */
static size_t stores(const struct options *o, unsigned n)
{
    return rows_in_rounds(o) * n * (o->share == SHARE_TOGETHER ? 2 : 1);
}

/* Returns whether the results of all rows between rounds fit PLAN_STORE. */
static bool fits(const struct options *o, unsigned rounds, unsigned n)
{
    size_t bytes = gathered_need(o, engine_samples_most(o), rounds) * sizeof(uint64_t);

    return stores(o, n) <= PLAN_STORE / bytes;
}

/* Divides the memory of a plan, which has `n`, `all` and `rounds`. bench_memory_need() uses it to
 * count only. */
static struct plan *lay_out(struct cut *c, const struct options *o, struct plan *plan)
{
    struct plan *at = take(c, sizeof *plan);
    unsigned n = plan->n, all = plan->all, rounds = plan->rounds;
    size_t rows;

    registry(&rows);
    plan->core = take(c, all * sizeof *plan->core);
    plan->list = take(c, all * sizeof *plan->list);
    plan->facts = take(c, all * sizeof *plan->facts);
    plan->present = take(c, all * sizeof *plan->present);
    plan->places = take(c, all * sizeof *plan->places);
    plan->line = take(c, all * sizeof *plan->line);
    plan->figures = take(c, n * rows * sizeof *plan->figures);
    plan->place = take(c, rows * sizeof *plan->place);
    plan->took = take(c, rows * sizeof *plan->took);
    plan->store_words = gathered_need(o, engine_samples_most(o), rounds);
    if (rounds > 1)
        plan->store = take(c, stores(o, n) * plan->store_words * sizeof *plan->store);
    plan->probe = take(c, sizeof *plan->probe);
    plan->poll = take(c, sizeof *plan->poll);
    plan->counter = take(c, sizeof *plan->counter);
    plan->shared = take(c, shared_need(o, all));
    if (o->share == SHARE_TOGETHER)
        plan->memory = take(c, (n - 1) * engine_words(o) * sizeof *plan->memory);
    return at;
}

static unsigned cores_there(const struct platform *p)
{
    return p->cores ? p->cores->count : 1;
}

/* Counts the cores that measure and that meet, at least one each. */
static struct plan count_cores(const struct options *o, unsigned cores)
{
    struct core_list l;

    core_list_parse(&l, o->cores);
    unsigned n = core_list_count(&l, cores), all = core_list_meet(&l, cores);
    return (struct plan){.n = n ? n : 1, .all = all ? all : 1};
}

size_t bench_memory_need(const struct options *o, unsigned cores)
{
    struct plan plan = count_cores(o, cores);
    struct cut c = {engine_need(o) * sizeof(uint64_t)};
    unsigned rounds = parts_rounds(o, engine_samples_most(o), o->rounds);

    plan.rounds = fits(o, rounds, plan.n) ? rounds : 1;
    lay_out(&c, o, &plan);
    return (c.at + BARRIER_LINE) / sizeof(uint64_t);
}

/* --- selection of cores ----------------------------------------------------------------------- */

static const char *why_not(const struct platform *p, unsigned core)
{
    return p->cores ? p->cores->facts[core].why_not : NULL;
}

_Static_assert(CORE_LIST_TYPES >= CORE_TYPES && CORE_LIST_NODES >= NUMA_NODES,
               "cores=types and cores=nodes list a core of each");

/* Returns whether the list has a core of each type, or node, and a usable core before this one is
 * of the same. */
static bool has_elder(const struct platform *p, const struct core_list *l, unsigned core)
{
    const struct core_facts *facts = p->cores ? p->cores->facts : NULL;

    for (unsigned i = 0; i < core; i++)
        if (!why_not(p, i) && ((l->types && facts[i].type == facts[core].type) ||
                               (l->nodes && facts[i].node == facts[core].node)))
            return true;
    return false;
}

/* Returns whether rows of several cores run on the core. */
static bool meets(const struct platform *p, const struct core_list *l, unsigned core)
{
    return core_list_has(l, core) && !why_not(p, core);
}

/* Returns whether the core measures. */
static bool is_listed(const struct platform *p, const struct core_list *l, unsigned core)
{
    return meets(p, l, core) && !has_elder(p, l, core);
}

bool plan_check(const struct platform *p, const struct options *o, struct sink *err)
{
    struct core_list l;
    unsigned there = cores_there(p), usable = 0;
    char beyond[CORE_LIST_TEXT];
    struct sink_buf text;

    core_list_parse(&l, o->cores);
    sink_buf_init(&text, beyond, sizeof beyond);
    if (core_list_beyond(&l, there, &text.sink)) {
        fmt(err, "cores=%s: there is no core %s; there %s 0", o->cores, beyond,
            there > 1 ? "are" : "is");
        if (there > 1)
            fmt(err, " to %u", there - 1);
        return false;
    }
    for (unsigned i = 0; i < there; i++)
        usable += is_listed(p, &l, i);
    if (usable == 0) {
        fmt(err, "cores=%s: none of these can be used:", o->cores);
        for (unsigned i = 0; i < there; i++)
            if (core_list_has(&l, i))
                fmt(err, " %u: %s;", i, why_not(p, i));
    }
    return usable > 0;
}

struct plan_core *plan_core(struct plan *plan, unsigned core)
{
    unsigned k = 0;

    while (plan->list[k] != core)
        k++;
    return &plan->core[k];
}

/* Copies the boot core's engine for the k-th core. With share=alone it uses the same memory. */
static void take_core(struct plan *plan, unsigned k, unsigned core, const struct engine *boot)
{
    struct plan_core *pc = &plan->core[k];
    struct engine *e = &pc->engine;
    size_t rows;

    registry(&rows);
    memset(pc, 0, sizeof *pc);
    plan->list[k] = core;
    plan->facts[k] = &e->facts;
    *e = *boot;
    e->facts.core = core;
    e->facts.cores = plan->n;
    e->poll = plan->poll;
    e->facts.rounds = plan->rounds;
    if (core > 0)
        e->facts.cycle = (struct cycle){0}; /* plan_probe() starts its timers on that core */
    e->figures = k < plan->n ? plan->figures + k * rows : NULL;
    for (size_t i = 0; i < rows && e->figures; i++)
        e->figures[i] =
            (struct core_figure){.ticks = UNKNOWN, .cycles = UNKNOWN, .lo = UNKNOWN, .hi = UNKNOWN};
    if (plan->together && k > 0 && k < plan->n)
        engine_memory(e, plan->memory + (k - 1) * engine_words(plan->o));
    pc->nmis = core == 0 ? plan->p->events.nmis() : 0; /* plan_probe() reads those of other cores */
}

/* Assigns each row its index in the store, and clears the store. */
static void number_rows(struct plan *plan)
{
    size_t rows, kept = 0;
    const struct bench *const *row = registry(&rows);

    for (size_t i = 0; i < rows; i++) {
        plan->took[i] = 0;
        plan->place[i] = kept;
        kept += plan_in_rounds(plan->o, row[i]) && registry_selects(plan->o, row[i]);
    }
    if (plan->rounds > 1)
        memset(plan->store, 0, stores(plan->o, plan->n) * plan->store_words * sizeof *plan->store);
}

static struct run_cores cores_of(const struct plan *plan)
{
    const struct platform_cores *c = plan->p->cores;
    struct run_cores cores = {.n = plan->n,
                              .all = plan->all,
                              .list = plan->list,
                              .together = plan->together,
                              .divided = numa_is_divided(plan->p->numa),
                              .facts = plan->facts,
                              .figures = plan->figures};

    if (c) {
        cores.count = c->count;
        cores.there = c->facts;
        cores.parked = c->parked;
    }
    registry(&cores.rows);
    return cores;
}

struct plan *plan_make(const struct engine *boot)
{
    const struct options *o = boot->facts.o;
    struct plan made = {.p = boot->p, .o = o, .together = o->share == SHARE_TOGETHER};
    struct cut c = {(uintptr_t)(boot->p->memory + engine_need(o))};
    struct core_list l;
    unsigned k = 0, there = cores_there(boot->p);

    core_list_parse(&l, o->cores);
    for (unsigned i = 0; i < there; i++) {
        made.n += is_listed(boot->p, &l, i);
        made.all += meets(boot->p, &l, i);
    }
    /* Counts like bench_memory_need(), although some of the listed cores may not have started. */
    bool fit = fits(o, boot->facts.rounds, count_cores(o, there).n);
    made.rounds = fit ? boot->facts.rounds : 1;
    made.one_for_memory = !fit && boot->facts.rounds > 1;
    struct plan *plan = lay_out(&c, o, &made);
    *plan = made;
    plan->cores = cores_of(plan);
    number_rows(plan);
    poll_init(plan->poll, boot->p, boot);
    for (unsigned i = 0; i < there; i++)
        if (is_listed(boot->p, &l, i))
            take_core(plan, k++, i, boot);
    for (unsigned i = 0; i < there; i++)
        if (meets(boot->p, &l, i) && !is_listed(boot->p, &l, i))
            take_core(plan, k++, i, boot);
    return plan;
}

/* --- running on cores ------------------------------------------------------------------------- */

/* Marks the cores that did not return as gone: they measure no more. */
static void count_lost(struct plan *plan, const unsigned *places, unsigned n, const char *why)
{
    for (unsigned i = 0; i < n; i++) {
        struct plan_core *pc = &plan->core[places[i]];
        if (!pc->back)
            pc->gone = why ? why : "it did not come back";
    }
}

const char *plan_on(struct plan *plan, unsigned k, void (*fn)(void *, unsigned), void *ctx)
{
    unsigned core = plan->list[k];
    const char *why = NULL;

    plan->core[k].back = false;
    if (plan->p->cores)
        why = plan->p->cores->run(plan->p, core, fn, ctx);
    else
        fn(ctx, core);
    count_lost(plan, &k, 1, why);
    return why;
}

const char *plan_on_all(struct plan *plan, const unsigned *places, unsigned n,
                        void (*fn)(void *, unsigned), void *ctx)
{
    const struct platform_cores *cores = plan->p->cores;

    barrier_init(&plan->barrier, plan->line, n);
    for (unsigned i = 0; i < n; i++) {
        struct plan_core *pc = &plan->core[places[i]];
        pc->back = false;
        pc->gate = (struct gate){&plan->barrier, i, plan->present, false};
        plan->present[i] = plan->list[places[i]];
        if (cores)
            barrier_offset(&plan->barrier, i, cores->facts[plan->present[i]].tsc_offset);
    }
    if (!cores) {
        fn(ctx, plan->present[0]);
        return NULL;
    }
    const char *why = cores->together(plan->p, plan->present, n, fn, ctx);
    count_lost(plan, places, n, why);
    return why;
}

bool plan_starved(const struct plan *plan, unsigned *core)
{
    const struct platform_cores *cores = plan->p->cores;

    return cores && cores->starved && cores->starved(plan->p, core) >= PLATFORM_STARVED_NS;
}
