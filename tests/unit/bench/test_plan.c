// links: bench/context/barrier.c bench/context/gate.c bench/context/pace.c bench/cores/plan.c
// links: bench/cores/plan_rows.c bench/insn/forms.c bench/place/layout.c bench/place/parts.c
/* Which rows run where, on a machine whose cores are functions. */
#include "tests/unit/unit.h"
#include <stdlib.h>
#include <string.h>
#include "tests/unit/fake_tsc.h"

#include "bench/context/barrier.h"
#include "bench/api/tsc.h"
#include "lib/text/mem.h"
#include "bench/context/gate.h"
#include "lib/cpu/tsc_rate.h"
#include "lib/text/fmt.h"
#include "bench/context/pace.h"
#include "bench/cores/plan.h"
#include "bench/api/registry.h"
#include "bench/cores/crowd.h"
#include "bench/sample/cycle.h"
#include "bench/measure/engine.h"
#include "bench/sample/gathered.h"
#include "bench/place/parts.h"
#include "lib/stats/known.h"
#include "bench/measure/probe.h"
#include "lib/config/core_list.h"
#include "bench/cores/plan_rows.h"
#include "bench/place/layout.h"
#include "bench/context/context.h"

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

static struct bench row_a = {.suite = "s", .name = "a"};
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
    (void)o, (void)b;
    return true;
}

size_t engine_need(const struct options *o)
{
    (void)o;
    return ENGINE_WORDS;
}

void engine_memory(struct engine *e, uint64_t *memory)
{
    e->memory = memory;
    e->gathered = (struct gathered *)(void *)(memory + 10);
}

size_t crowd_size(unsigned n)
{
    return n;
}

void probe_core(struct engine *e, struct probe *p)
{
    (void)p;
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
    (void)o, (void)samples, (void)rounds;
    return words_of_a_row;
}

void engine_begin(struct engine *e, const struct bench *b, struct gathered *g)
{
    memset(g, 0, sizeof *g);
    g->row.bench = b;
    g->row.core = e->facts.core;
}

void engine_round(struct engine *e, struct gathered *g, unsigned round)
{
    assert_int_equal(g->row.core, e->facts.core); /* its own, which no other core has touched */
    assert_int_equal(g->rounds, round);
    g->rounds++;
    g->row.windows += e->facts.core + (e->gate ? 100 : 0);
    e->memory[0] = e->facts.core; /* this core's own, where others measure too */
    e->memory[9] = e->facts.core;
    if (e->gate && missed) {
        e->gate->missed = true;
        row_fail(&g->row, ROW_WRONG, "core 4 did not come");
    }
    gated[measurements] = e->gate != NULL;
    measured[measurements++] = e->facts.core;
    nmis_of[e->facts.core]++;
}

void engine_end(const struct engine *e, struct gathered *g, struct row *row)
{
    (void)e;
    *row = g->row;
    row->rounds = g->rounds;
    row->headline.known = !g->cut;
    row->headline.ticks = (double)g->row.windows / g->rounds;
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
    platform = (struct platform){.nmis = nmis, .cores = &cores};
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

/* Row `a` on the k-th core; together on all of them with the first. */
static const struct row *measure(struct plan *plan, unsigned k)
{
    if (!plan->together)
        plan_measure(plan, &row_a, 0, k);
    else if (k == 0)
        plan_measure_together(plan, &row_a, 0);
    return plan_row(plan, k);
}

static void done(void)
{
    free(platform.memory);
}

static void refused(const char *list, const struct platform_cores *there, const char *want)
{
    char text[200];
    struct sink_buf b;

    sink_buf_init(&b, text, sizeof text);
    start();
    platform = (struct platform){.cores = there};
    strcpy(options.cores, list);
    assert_int_equal(plan_check(&platform, &options, &b.sink), want == NULL);
    assert_string_equal(text, want ? want : "");
}

static void cores_that_are_not_there(void **state)
{
    (void)state;
    refused("0-5", &cores, NULL);
    refused("all", &cores, NULL);
    refused("all", NULL, NULL);
    refused("bsp", NULL, NULL);
    refused("4-8,12", &cores, "cores=4-8,12: there is no core 6-8,12; there are 0 to 5");
    refused("1", NULL, "cores=1: there is no core 1; there is 0");
    refused("5", &cores, "cores=5: none of these can be used: 5: does not answer;");
}

static void the_boot_core_alone(void **state)
{
    (void)state;
    struct plan *plan = plan_of("bsp", SHARE_ALONE);
    assert_int_equal(plan->n, 1);
    assert_ptr_equal(plan->seat[0].engine.memory, platform.memory);
    assert_int_equal((int)plan->seat[0].engine.facts.step, 26);
    const struct row *row = measure(plan, 0);
    assert_int_equal(row->core, 0);
    assert_int_equal(row->nmis, 1);
    assert_int_equal(row->together, 0);
    assert_int_equal(plan_interruptions(plan), 0);
    done();
}

static void one_core_of_each_type(void **state)
{
    static const char *const types[CORES] = {"performance", "performance", "efficiency",
                                             "efficiency"};

    (void)state;
    start();
    for (unsigned i = 0; i < CORES; i++)
        facts[i].type = types[i] ? core_type_names[types[i][0] == 'p' ? 1 : 2] : NULL;
    struct plan *plan = plan_of("types", SHARE_ALONE);
    assert_int_equal(plan->n, 3); /* core 4 does not tell its type */
    assert_int_equal(plan->list[0], 0);
    assert_int_equal(plan->list[1], 2);
    assert_int_equal(plan->list[2], 4);
    done();
    for (unsigned i = 0; i < CORES; i++)
        facts[i].type = NULL;
    plan = plan_of("types", SHARE_ALONE);
    assert_int_equal(plan->n, 1);
    done();
}

static void one_after_the_other(void **state)
{
    (void)state;
    struct plan *plan = plan_of("all", SHARE_ALONE);
    assert_int_equal(plan->n, 5); /* core 5 did not come up */
    for (unsigned round = 1; round <= 2; round++)
        for (unsigned k = 0; k < plan->n; k++) {
            const struct row *row = measure(plan, k);
            assert_int_equal(row->core, k);
            assert_int_equal(row->nmis, 1);
            assert_int_equal((int)plan->seat[k].engine.figures[0].ticks, k);
            assert_int_equal((int)plan->seat[k].engine.facts.step, k ? k : 26);
            assert_ptr_equal(plan->seat[k].engine.memory, platform.memory);
        }
    const unsigned want[] = {0, 1, 2, 3, 4, 0, 1, 2, 3, 4};
    assert_int_equal(measurements, 10);
    assert_memory_equal(measured, want, sizeof want);
    plan_release(plan);
    for (unsigned i = 0; i < CORES; i++) {
        assert_int_equal(opened[i], i > 0 && i < 5);
        assert_int_equal(closed[i], i > 0 && i < 5);
    }
    for (unsigned k = 1; k < plan->n; k++)
        assert_int_equal(plan->seat[k].engine.facts.cycle.by, CYCLES_COUNTER);
    nmis_of[2] += 7; /* while it was parked */
    assert_int_equal(plan_interruptions(plan), 7);
    assert_int_equal(plan_interruptions(plan), 0);
    done();
}

static void all_at_once(void **state)
{
    (void)state;
    struct plan *plan = plan_of("1,3-4", SHARE_TOGETHER);
    assert_int_equal(plan->n, 3);
    for (unsigned k = 0; k < 3; k++) {
        const struct row *row = measure(plan, k);
        assert_int_equal(row->core, plan->list[k]);
        assert_int_equal(row->together, 3);
        assert_int_equal((int)row->headline.ticks, 100 + (int)plan->list[k]);
        assert_int_equal((int)row->alone.ticks, plan->list[k]);
        assert_int_equal(row->nmis, 2); /* alone, and together */
    }
    const unsigned want[] = {1, 3, 4, 1, 3, 4};
    assert_int_equal(measurements, 6);
    assert_memory_equal(measured, want, sizeof want);
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(gated[i], i >= 3);
    assert_int_equal(at_once, 3);
    for (unsigned k = 0; k < 3; k++) { /* nobody wrote into another's memory */
        assert_int_equal(plan->seat[k].engine.memory[0], plan->list[k]);
        assert_int_equal(plan->seat[k].engine.memory[9], plan->list[k]);
    }
    assert_int_equal(plan->line[0].offset, 10);
    done();
}

/* A core that got no CPU from the system fails no row; one that got it does. */
static void a_core_that_misses_the_others(void **state)
{
    static const struct {
        bool can_be_starved;
        uint64_t ns;
        enum row_status status;
        const char *why;
    } cases[] = {
        {false, PLATFORM_STARVED_NS, ROW_WRONG, "core 4 did not come"},
        {true, PLATFORM_STARVED_NS - 1, ROW_WRONG, "core 4 did not come"},
        {true, PLATFORM_STARVED_NS, ROW_UNSUPPORTED, "core 4 was not given the CPU in time"},
    };

    (void)state;
    missed = true;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cores.starved = cases[i].can_be_starved ? starved : NULL;
        starved_ns = cases[i].ns;
        struct plan *plan = plan_of("1,3-4", SHARE_TOGETHER);
        for (unsigned k = 0; k < 3; k++) {
            const struct row *row = measure(plan, k);
            assert_int_equal(row->status, cases[i].status);
            assert_string_equal(row->why, cases[i].why);
        }
        done();
    }
    cores.starved = NULL;
    missed = false;
}

static void a_core_that_faults(void **state)
{
    (void)state;
    struct plan *plan = plan_of("0-4", SHARE_ALONE);
    faulty = 3;
    for (unsigned k = 0; k < 5; k++) {
        const struct row *row = measure(plan, k);
        assert_int_equal(row->status, k == 3 ? ROW_WRONG : ROW_OK);
        assert_int_equal(row->core, k);
    }
    assert_string_equal(plan->seat[3].row.why, "#UD");
    assert_string_equal(plan->seat[3].gone, "#UD");
    assert_true(plan->seat[3].engine.figures[0].ticks != plan->seat[3].engine.figures[0].ticks);
    for (unsigned k = 0; k < 5; k++) /* it is not called again, the others are */
        assert_int_equal(measure(plan, k) == NULL, k == 3);
    assert_int_equal(calls[3], 2); /* its probe, the row */
    assert_int_equal(plan_interruptions(plan), 0);
    done();
}

static void a_core_that_faults_together(void **state)
{
    (void)state;
    struct plan *plan = plan_of("0-4", SHARE_TOGETHER);
    faulty = 3;
    for (unsigned k = 0; k < 5; k++) {
        const struct row *row = measure(plan, k);
        assert_int_equal(row->status, k == 3 ? ROW_WRONG : ROW_OK);
    }
    assert_int_equal(at_once, 4); /* it faulted alone, before */
    for (unsigned k = 0; k < 5; k++)
        assert_int_equal(measure(plan, k) == NULL, k == 3);
    done();
}

/* --- rounds ----------------------------------------------------------------------------------- */

/* Row `a` on all cores in rounds [from, end). */
static void pass_rounds(struct plan *plan, unsigned from, unsigned end)
{
    for (plan->round = from; plan->round < end; plan->round++)
        for (unsigned k = 0; k < plan->n; k++)
            measure(plan, k);
    plan->round = end - 1;
}

static void each_core_gathers_its_own(void **state)
{
    (void)state;
    for (enum share share = SHARE_ALONE; share <= SHARE_TOGETHER; share++) {
        rounds = 3;
        struct plan *plan = plan_of("1,3-4", share);
        assert_int_equal(plan->rounds, 3);
        pass_rounds(plan, 0, 2);
        for (unsigned k = 0; k < 3; k++) {
            assert_null(plan_row(plan, k)); /* not before its end */
            assert_int_equal(plan_rounds_of(plan, 0, k), 2);
        }
        pass_rounds(plan, 2, 3);
        for (unsigned k = 0; k < 3; k++) {
            const struct row *row = plan_row(plan, k);
            unsigned core = plan->list[k];
            assert_true(row->core == core && row->rounds == 3 && row->status == ROW_OK);
            if (share == SHARE_TOGETHER) {
                assert_true(row->together == 3 && row->headline.ticks == 100 + core);
                assert_true(row->alone.ticks == core && row->nmis == 6);
            } else {
                assert_true(row->headline.ticks == core && row->nmis == 3);
            }
        }
        rounds = 1;
        done();
    }
}

static void a_stopped_run_has_whole_rounds(void **state)
{
    (void)state;
    for (enum share share = SHARE_ALONE; share <= SHARE_TOGETHER; share++) {
        rounds = 4;
        struct plan *plan = plan_of("0-2", share);
        pass_rounds(plan, 0, 2);
        plan->pace->stopped = true;
        for (unsigned k = 0; k < 3; k++) {
            plan_end(plan, 0, k);
            assert_int_equal(plan_row(plan, k)->rounds, 2);
            assert_int_equal(plan_row(plan, k)->together, share == SHARE_TOGETHER ? 3 : 0);
        }
        done();
        plan = plan_of("0-2", share);
        plan_end(plan, 0, 1); /* nothing was begun */
        assert_null(plan_row(plan, 1));
        assert_int_equal(plan_rounds_of(plan, 0, 1), 0);
        rounds = 1;
        done();
    }
}

/* It was lost in the second round of this row: the row fails there, and another keeps its
 * results. */
static void a_core_that_is_lost_between_rounds(void **state)
{
    (void)state;
    for (enum share share = SHARE_ALONE; share <= SHARE_TOGETHER; share++) {
        rounds = 3;
        struct plan *plan = plan_of("0-4", share);
        pass_rounds(plan, 0, 1);
        faulty = 3;
        pass_rounds(plan, 1, 3);
        for (unsigned k = 0; k < 5; k++)
            assert_int_equal(plan_row(plan, k)->status, k == 3 ? ROW_WRONG : ROW_OK);
        assert_string_equal(plan_row(plan, 3)->why, "#UD");
        done();
        plan = plan_of("0-4", share);
        pass_rounds(plan, 0, 2);
        plan->seat[3].gone = "lost elsewhere";
        pass_rounds(plan, 2, 3);
        for (unsigned k = 0; k < 5; k++) {
            assert_int_equal(plan_row(plan, k)->rounds, k == 3 ? 2 : 3);
            assert_int_equal(plan_row(plan, k)->status, ROW_OK);
            unsigned together = share == SHARE_ALONE ? 0 : k == 3 ? 5 : 4;
            assert_int_equal(plan_row(plan, k)->together, together);
        }
        rounds = 1;
        done();
    }
}

static void what_does_not_fit_has_one_round(void **state)
{
    (void)state;
    rounds = 4;
    words_of_a_row = PLAN_STORE / sizeof(uint64_t) / 10; /* ten of them fit: 5 cores, twice */
    struct plan *plan = plan_of("0-4", SHARE_TOGETHER);
    assert_true(plan->rounds == 4 && !plan->one_for_memory);
    done();
    words_of_a_row++;
    plan = plan_of("0-4", SHARE_TOGETHER);
    assert_true(plan->rounds == 1 && plan->one_for_memory);
    assert_int_equal(plan->seat[0].engine.facts.rounds, 1);
    assert_true(bench_memory_need(&options, CORES) < words_of_a_row);
    done();
    plan = plan_of("0-4", SHARE_ALONE);
    assert_true(plan->rounds == 4 && !plan->one_for_memory);
    words_of_a_row = 1000;
    rounds = 1;
    done();
}

/* Figures of two kinds must not be in one column of a report that passes. */
static void cores_that_are_executed_otherwise(void **state)
{
    (void)state;
    boot_execution = EXEC_INSTRUCTIONS;
    for (unsigned i = 0; i < CORES; i++)
        executions[i] = EXEC_INSTRUCTIONS;
    executions[2] = EXEC_EMULATED;
    struct plan *plan = plan_of("0-3", SHARE_ALONE);
    for (unsigned k = 0; k < 4; k++) {
        assert_int_equal(measure(plan, k) == NULL, k == 2);
        assert_int_equal(plan->seat[k].unlike[0] != 0, k == 2);
    }
    assert_non_null(strstr(plan->seat[2].unlike, "\"emulated\", the boot core \"instructions\""));
    done();

    no_counter = 3; /* nor does a named counter replace another there */
    executions[2] = EXEC_INSTRUCTIONS;
    plan = plan_of("0-3", SHARE_ALONE);
    for (unsigned k = 0; k < 4; k++)
        assert_int_equal(measure(plan, k) == NULL, k == 3);
    assert_string_equal(plan->seat[3].unlike_in, "cycle");
    assert_non_null(strstr(plan->seat[3].unlike, "pmc does not start: in use"));
    no_counter = 0;
    done();

    boot_execution = EXEC_EMULATED; /* everything is noise then, and reported as such */
    executions[1] = EXEC_SILICON;
    plan = plan_of("0-3", SHARE_ALONE);
    for (unsigned k = 0; k < 4; k++) {
        assert_non_null(measure(plan, k));
        assert_int_equal(plan->seat[k].engine.facts.execution, EXEC_EMULATED);
    }
    done();
    boot_execution = EXEC_SILICON;
    memset(executions, 0, sizeof executions);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cores_that_are_not_there),
        cmocka_unit_test(the_boot_core_alone),
        cmocka_unit_test(cores_that_are_executed_otherwise),
        cmocka_unit_test(one_core_of_each_type),
        cmocka_unit_test(one_after_the_other),
        cmocka_unit_test(all_at_once),
        cmocka_unit_test(a_core_that_misses_the_others),
        cmocka_unit_test(a_core_that_faults),
        cmocka_unit_test(a_core_that_faults_together),
        cmocka_unit_test(each_core_gathers_its_own),
        cmocka_unit_test(a_stopped_run_has_whole_rounds),
        cmocka_unit_test(a_core_that_is_lost_between_rounds),
        cmocka_unit_test(what_does_not_fit_has_one_round),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
