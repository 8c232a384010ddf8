/* A machine whose cores are functions, and an engine whose figure is its core's number, for tests
 * of bench/engine/plan.c. */
#ifndef TESTS_FAKE_PLAN_H
#define TESTS_FAKE_PLAN_H

#include "tests/unit/text.h"

#include "bench/engine/barrier.h"
#include "bench/engine/poll.h"
#include "lib/text/fmt.h"
#include "bench/engine/plan.h"
#include "bench/api/registry.h"
#include "bench/kinds/team.h"
#include "bench/engine/cycle.h"
#include "bench/engine/engine.h"
#include "bench/engine/gathered.h"
#include "bench/engine/probe_run.h"
#include "lib/config/choices.h"
#include "bench/engine/duration.h"
#include "bench/kinds/kinds.h"
#include "bench/engine/layout.h"
#include "bench/engine/context.h"

#define CORES 6

static struct platform platform;

/* --- a machine: core 3 faults when it is told to, core 5 never came up ------------------------ */

static struct core_facts facts[CORES] = {
    [1] = {.tsc_offset = 10}, [5] = {.why_not = "does not answer"}};
static unsigned calls[CORES], at_once, faulty;
static uint64_t nmis_of[CORES];
static unsigned here; /* the core that runs */

/* What a row gathers is after ten words. */
#define ENGINE_WORDS (10 + sizeof(struct gathered) / sizeof(uint64_t))

static const char *run(const struct platform *p, unsigned i, void (*fn)(void *, unsigned),
                       void *ctx)
{
    assert_ptr_equal(p, &platform);
    assert_true(i < CORES && !facts[i].why_not);
    calls[i]++;
    if (i == faulty)
        return facts[i].why_not = "#UD";
    here = i;
    fn(ctx, i);
    here = 0;
    return NULL;
}

static const char *together_(const struct platform *p, const unsigned *list, unsigned n,
                             void (*fn)(void *, unsigned), void *ctx)
{
    const char *why = NULL;

    at_once = n;
    for (unsigned i = 0; i < n; i++) {
        const char *befell = run(p, list[i], fn, ctx);
        why = why ? why : befell;
    }
    return why;
}

static struct platform_cores cores = {
    .count = CORES, .facts = facts, .parked = "hlt", .run = run, .together = together_};

static uint64_t starved_ns;

static uint64_t starved(const struct platform *p, unsigned *core)
{
    assert_ptr_equal(p, &platform);
    *core = 4;
    return starved_ns;
}

static uint64_t nmis(void)
{
    return nmis_of[here];
}

/* --- an engine whose figure is its core's number ---------------------------------------------- */

static struct bench row_a = {.window.form = FORM_LOOP, .suite = "s", .name = "a"};
static const struct bench *const rows[] = {&row_a};
static unsigned measured[128], measurements;
static enum execution executions[CORES];
static bool gated[128], missed; /* missed: at each gate core 4 is missing */

const struct bench *const *registry(size_t *n)
{
    *n = 1;
    return rows;
}

bool registry_selects(const struct options *o, const struct bench *b)
{
    return true;
}

size_t engine_need(const struct options *o)
{
    return ENGINE_WORDS;
}

void engine_memory(struct engine *e, uint64_t *memory)
{
    e->memory = memory;
    e->gathered = (struct gathered *)(void *)(memory + 10);
}

size_t team_size(unsigned n)
{
    return n;
}

void probe_core(struct engine *e, struct probe *p)
{
    e->facts.step = e->facts.core;
    e->facts.execution = executions[e->facts.core];
}

uint32_t engine_samples_most(const struct options *o)
{
    return o->samples ? o->samples : SAMPLES_AUTO;
}

static size_t words_of_a_row = 1000;

size_t gathered_need(const struct options *o, uint32_t samples, unsigned rounds)
{
    return words_of_a_row;
}

void engine_begin(struct engine *e, const struct bench *b, struct gathered *g)
{
    memset(g, 0, sizeof *g);
    g->row.out.bench = b;
    g->row.out.core = e->facts.core;
}

void engine_round(struct engine *e, struct gathered *g, unsigned round)
{
    assert_int_equal(g->row.out.core, e->facts.core); /* its own, which no other core has touched */
    assert_int_equal(g->rounds, round);
    g->rounds++;
    g->row.taken.windows += e->facts.core + (e->gate ? 100 : 0);
    e->memory[0] = e->facts.core; /* this core's own, where others measure too */
    e->memory[9] = e->facts.core;
    if (e->gate && missed) {
        e->gate->missed = true;
        outcome_fail(&g->row.out, ROW_WRONG, "core 4 did not come");
    }
    gated[measurements] = e->gate != NULL;
    measured[measurements++] = e->facts.core;
    nmis_of[e->facts.core]++;
}

void engine_end(const struct engine *e, struct gathered *g, struct row *row)
{
    *row = g->row;
    row->spread.rounds = g->rounds;
    row->figure.known = !g->cut;
    row->figure.ticks = (double)g->row.taken.windows / g->rounds;
}

/* A core's counter is started and stopped on that core. */
static unsigned opened[CORES], closed[CORES];

void cycle_open(struct engine *e)
{
    assert_int_equal(e->facts.core, here);
    assert_int_equal(e->facts.cycle.by, CYCLES_UNKNOWN); /* not the boot core's */
    opened[here]++;
    e->facts.cycle.by = CYCLES_COUNTER;
}

static unsigned no_counter; /* the core on which what cycle= names does not start; 0: none */

bool cycle_check_words(const struct engine *e, struct sink *err)
{
    if (no_counter == 0 || e->facts.core != no_counter)
        return true;
    fmt(err, "cycle=pmc: pmc does not start: in use");
    return false;
}

void cycle_close(struct engine *e)
{
    assert_int_equal(e->facts.core, here);
    closed[here]++;
}

struct cycle_check cycle_judge(struct engine *e)
{
    return (struct cycle_check){.n = e->facts.core};
}

/* --- the plan --------------------------------------------------------------------------------- */

static struct options options;
static enum execution boot_execution;
static struct engine boot;

static void start(void)
{
    memset(calls, 0, sizeof calls);
    memset(opened, 0, sizeof opened);
    memset(closed, 0, sizeof closed);
    memset(nmis_of, 0, sizeof nmis_of);
    measurements = at_once = 0;
    faulty = CORES;
    facts[3].why_not = NULL;
}

static unsigned rounds = 1;

static struct plan *plan_of(const char *list, enum share share)
{
    start();
    strcpy(options.cores, list);
    options.share = share;
    options.rounds = rounds;
    platform = (struct platform){.events.nmis = nmis, .cores = &cores};
    platform.memory = calloc(bench_memory_need(&options, CORES), sizeof *platform.memory);
    assert_non_null(platform.memory);
    boot = (struct engine){.p = &platform,
                           .facts.o = &options,
                           .facts.step = 26,
                           .facts.execution = boot_execution,
                           .facts.cycle = {.by = CYCLES_COUNTER},
                           .facts.rounds = rounds,
                           .facts.samples = SAMPLES_AUTO};
    engine_memory(&boot, platform.memory);
    struct plan *plan = plan_make(&boot);
    for (unsigned k = 0; k < plan->n; k++)
        plan_probe(plan, k);
    return plan;
}

double duration_windows(const struct engine *e, const struct bench *b)
{
    return 0;
}

/* Row `a` on the k-th core; together on all of them with the first. */
static const struct row *measure(struct plan *plan, unsigned k)
{
    plan->index = 0;
    (void)kind_windows.measure(plan, &row_a, k);
    return plan_row(plan, k);
}

static void done(void)
{
    free(platform.memory);
}

static void refused(const char *list, const struct platform_cores *there, const char *want)
{
    start();
    platform = (struct platform){.cores = there};
    strcpy(options.cores, list);
    assert_int_equal(plan_check(&platform, &options, text_sink()), want == NULL);
    assert_string_equal(text, want ? want : "");
}

#endif
