/*
 * Core cycles by a counter through the engine's arithmetic (bench/sample/sampler.c, headline.c,
 * cycle.c), on a simulated machine. The core cycles of its windows, its clock and the failures of
 * its counter are planted.
 */
#include "tests/unit/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define tsc_now        real_tsc_now
#define tsc_now_rdtscp real_tsc_now_rdtscp
#define chain_adds     real_chain_adds
#include "bench/api/chain.h"
#include "bench/api/tsc.h"
#undef tsc_now
#undef tsc_now_rdtscp
#undef chain_adds

static uint64_t tsc_now(void);
static uint64_t tsc_now_rdtscp(void);
static void chain_adds(uint32_t adds);

#include "bench/sample/cycle.c"
#include "bench/figure/headline.c"
#include "bench/context/pace.c"
#include "bench/api/report.c"
#include "bench/sample/sampler.c"
#include "bench/sample/gathered.c"
#include "bench/place/layout.c"
#include "bench/place/parts.c"
#include "bench/place/wide.c"
#include "bench/head/selftests.c"
#include "bench/api/timer.c"
#include "tests/unit/fake_own.h"
#include "tests/unit/close.h"

#define OPS        500
#define THETA      3.5 /* core cycles an operation, planted */
#define FRAME      60
#define READING    100 /* of the counter */
#define PLACEMENTS 4
#define SAMPLES    1024

static struct world {
    double cycles, ticks;
    double rate, ruler_rate; /* core cycles a tick: in all windows, in those of the ruler */
    double drift;            /* what the rates are multiplied by at each window */
    double per_add;          /* core cycles of one in chain_adds(), as the counter sees it */
    double away;             /* ticks on either side of a reading during which it stands still */
    uint64_t first;          /* of the counter, at cycle 0 */
    unsigned reads, fail_every, again_every, starts, stops;
    const char *refuses;
} w;

static void pass(double cycles, double rate)
{
    w.cycles += cycles;
    w.ticks += cycles / rate;
}

static uint64_t tsc_now(void)
{
    return (uint64_t)w.ticks;
}

/* This CPU need not have the instruction. */
static uint64_t tsc_now_rdtscp(void)
{
    pass(1, w.rate);
    return tsc_now();
}

static void chain_adds(uint32_t adds)
{
    pass(adds * w.per_add, w.rate);
}

void place_cool(const struct placed *p)
{
    (void)p;
}

/* `turns`: its core cycles; bit 32 says whether it is a window of the ruler. */
static struct window_result window(struct object *o, const void *function, uint64_t turns,
                                   uint64_t delay, uint64_t stack)
{
    (void)o;
    (void)function;
    (void)delay;
    (void)stack;
    uint64_t from = tsc_now();
    pass((uint32_t)turns, turns >> 32 ? w.ruler_rate : w.rate);
    w.rate *= w.drift;
    w.ruler_rate *= w.drift;
    return (struct window_result){.ticks = tsc_now() - from};
}

static const char *start(struct timer *t)
{
    (void)t;
    w.starts += w.refuses == NULL;
    return w.refuses;
}

static void stop(struct timer *t)
{
    (void)t;
    w.stops++;
}

static enum timer_status count(struct timer *t, uint64_t *v)
{
    pass(READING, w.rate);
    w.reads++;
    w.ticks += 2 * w.away;
    if (w.again_every && w.reads % w.again_every == 0)
        return TIMER_AGAIN;
    if (w.fail_every && w.reads % w.fail_every == 0)
        return TIMER_FAILED;
    *v = (w.first + (uint64_t)w.cycles) & ((1ull << t->bits) - 1);
    return TIMER_OK;
}

static bool has_rdtscp = true;

static struct timer *source(void *context, unsigned id, const char **why)
{
    static struct timer pmc = {
        .name = "pmc", .start = start, .read = count, .stop = stop, .bits = 40};

    (void)context;
    *why = NULL;
    if (id == CYCLE_PMC)
        return &pmc;
    if (id != CYCLE_APERF && id != CYCLE_PERF)
        return cycle_plain(id, has_rdtscp, why);
    *why = id == CYCLE_PERF ? "no perf here" : "no aperf here";
    return NULL;
}

static uint64_t no_nmis(void)
{
    return 0;
}

static const struct cpu cpu = {.tsc = true};
static struct platform platform = {.cycle = source, .nmis = no_nmis, .cpu = &cpu};
static struct options options;
static struct engine engine;
static struct sampler sampler;
static struct placed placed;
static struct gathered *gathered;
static double theta[PLACEMENTS + 1]; /* and the round's */

static void begin_world(const char *list)
{
    const char *at;
    size_t n;

    w = (struct world){
        .rate = 2, .ruler_rate = 2, .drift = 1, .per_add = 1, .first = (1ull << 40) - 1000000};
    options_default(&options);
    assert_int_equal(timer_list_parse(&options.cycle, CYCLE_WORDS, list, &at, &n), TIMER_LIST_FINE);
    engine = (struct engine){.p = &platform,
                             .facts.o = &options,
                             .facts.execution = EXEC_SILICON,
                             .facts.samples = SAMPLES,
                             .facts.rounds = 1,
                             .facts.step = 1};
    engine.facts.ticks_per_cycle = 1 / w.rate;
    cycle_open(&engine);
    w.reads = 0; /* of rows alone */
}

/* Measures a row of a body of OPS operations, through all its placements. */
static struct headline run(void)
{
    static const struct bench bench = {.ops = OPS, .form = FORM_LOOP};
    const uint32_t cost[KINDS] = {
        [KIND_EMPTY] = FRAME,
        [KIND_RULER] = FRAME + RULER_ADDS,
        [KIND_RULER2] = FRAME + 2 * RULER_ADDS,
        [KIND_BODY] = FRAME + (uint32_t)(OPS * THETA),
        [KIND_BODY2] = FRAME + (uint32_t)(2 * OPS * THETA),
    };
    static struct object object;
    const struct headline_means means = {theta, theta + PLACEMENTS, PLACEMENTS, 1};
    size_t blocks = SAMPLES / ENGINE_BLOCK;
    uint64_t *memory = calloc(sampler_need(SAMPLES, blocks), sizeof *memory);
    uint64_t *scratch = calloc(6 * blocks + PLACEMENTS, sizeof *scratch);

    engine.memory = memory;
    memset(&placed, 0, sizeof placed);
    placed.object = &object;
    for (unsigned k = 0; k < KINDS; k++)
        if (cost[k]) {
            placed.kind[k].fn = window;
            placed.kind[k].turns = cost[k] | (k == KIND_RULER || k == KIND_RULER2 ? 1ull << 32 : 0);
        }
    free(gathered);
    gathered = calloc(gathered_need(&options, SAMPLES, 1), sizeof(uint64_t));
    gathered_init(gathered, &engine);
    sampler_init(&sampler, &engine, SAMPLES, blocks);
    for (unsigned i = 0; i < PLACEMENTS; i++) {
        const struct part_place part = {i, 0, SAMPLES / PLACEMENTS, blocks / PLACEMENTS};
        sampler_take(&sampler, &engine, &bench, &placed, &part);
        sampler_judge(&sampler, &engine, gathered);
        headline_part(&sampler, &bench, &part, engine.facts.cycle.by, gathered, scratch);
    }
    struct headline h =
        headline(gathered, &bench, engine.facts.step, engine.facts.cycle.by, &means, scratch);
    free(scratch);
    free(memory);
    return h;
}

static void a_counter_gives_the_planted_cycles(void **state)
{
    (void)state;
    begin_world("pmc");
    assert_int_equal(engine.facts.cycle.by, CYCLES_COUNTER);
    struct headline h = run();
    assert_true(h.known && h.counter.known && h.doubled);
    assert_close(h.cycles.theta, THETA, 1e-9); /* the counter has wrapped meanwhile */
    assert_true(h.cycles.hi - h.cycles.lo < 0.006);
    assert_close(h.ruler.cycles.theta, THETA, 1e-9);
    assert_close(h.ticks, THETA / 2, 1e-9);
    assert_close(h.cycles.mean, THETA, 1e-9);
    assert_int_equal(h.modes.count, 1);
    assert_close(h.modes.mode[0].at, THETA, 1e-9);
    assert_close(theta[PLACEMENTS - 1], THETA, 1e-9);
    assert_close(gathered->counter_rate.mean, 2, 1e-9);
    assert_int_equal(gathered->row.unread, 0);
    assert_true(w.cycles > 1000000);
}

static void a_drifting_clock_cancels(void **state)
{
    (void)state;
    begin_world("pmc");
    w.drift = 1.00005; /* by a third in all */
    struct headline h = run();
    assert_true(w.rate > 2.5);
    assert_close(h.cycles.theta, THETA, 0.002 * THETA);
    assert_close(h.counter.cycles.theta, h.cycles.theta, 0);
}

/* A core that is slower under this body than under additions, which no ruler can know. */
static void the_bodys_own_clock(void **state)
{
    (void)state;
    begin_world("pmc,ruler");
    w.ruler_rate = 4;
    struct headline h = run();
    assert_close(h.cycles.theta, THETA, 0.002);
    assert_close(h.ruler.cycles.theta, 2 * THETA, 0.002);

    begin_world("ruler,pmc"); /* the counter beside it tells */
    w.ruler_rate = 4;
    h = run();
    assert_int_equal(engine.facts.cycle.by, CYCLES_RULER);
    assert_close(h.cycles.theta, 2 * THETA, 0.002);
    assert_close(h.counter.cycles.theta, THETA, 0.002);
}

static void failed_readings_leave_out_their_blocks(void **state)
{
    (void)state;
    const unsigned blocks = 5 * SAMPLES / ENGINE_BLOCK;
    begin_world("pmc");
    w.fail_every = 53;
    struct headline h = run();
    assert_close(h.cycles.theta, THETA, 1e-9);
    assert_int_equal(gathered->row.unread + gathered->counter_rate.n, blocks);
    /* Two readings per block, and never both in one block. */
    assert_int_equal(gathered->row.unread, blocks * 2 / 53);
    assert_false(row_counter_failed(&gathered->row)); /* a few: no word of them */
    assert_int_equal(engine.facts.cycle.counter.failed, w.reads / 53);

    begin_world("pmc");
    w.again_every = 3;
    h = run();
    assert_close(h.cycles.theta, THETA, 0.01); /* a reading tried again is in its block */
    assert_int_equal(gathered->row.unread, 0);
    assert_int_equal(engine.facts.cycle.counter.again, w.reads / 3);

    begin_world("pmc");
    w.fail_every = 1;
    h = run();
    assert_true(h.known && h.ruler.known && !h.counter.known);
    assert_true(h.cycles.theta != h.cycles.theta);
    assert_close(h.ruler.cycles.theta, THETA, 1e-9);
    assert_int_equal(gathered->row.unread, blocks);
    assert_true(row_counter_failed(&gathered->row));
    assert_int_equal(h.modes.count, 0);
}

static struct estimate about(double theta, double half)
{
    return (struct estimate){.theta = theta, .lo = theta - half, .hi = theta + half};
}

static bool disagree(struct estimate ruler, struct estimate counter)
{
    return cycle_disagree(&ruler, &counter);
}

/* The limit is half a percent, of one cycle where a body costs less than that; intervals count
 * too. */
static void ruler_and_counter_disagree(void **state)
{
    (void)state;
    assert_false(disagree(about(10, 0), about(10.04, 0)));
    assert_true(disagree(about(10, 0), about(10.06, 0)));
    assert_true(disagree(about(10, 0), about(9.94, 0)));
    assert_false(disagree(about(10, 0.1), about(10.2, 0.06)));
    assert_true(disagree(about(10, 0.1), about(10.2, 0.04)));
    assert_false(disagree(about(-0.0004, 0), about(0.004, 0)));
    assert_true(disagree(about(-0.0004, 0), about(0.006, 0)));
    assert_false(disagree(about(3, UNKNOWN), about(UNKNOWN, 0)));
}

/* A hypervisor that intercepts a reading stops the counter meanwhile. */
static void a_counter_that_stands_while_it_is_read(void **state)
{
    (void)state;
    begin_world("pmc");
    w.away = 3000;
    cycle_open(&engine);
    struct headline h = run();
    assert_close(h.cycles.theta, THETA, 1e-9);
    assert_close(h.ruler.cycles.theta, THETA, 1e-9);
}

static void without_a_counter_nothing_is_read(void **state)
{
    (void)state;
    static const char *const lists[] = {"ruler", "tsc", "null", "rdtscp", "aperf", "ruler,aperf"};
    for (unsigned i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        begin_world(lists[i]);
        struct headline h = run();
        assert_int_equal(w.reads + w.starts, 0);
        assert_close(h.ruler.cycles.theta, THETA, 1e-9);
        assert_true(h.counter.cycles.theta != h.counter.cycles.theta);
        assert_int_equal(gathered->row.unread, 0);
        assert_true(run_has_cycles(&engine.facts) == (strncmp(lists[i], "ruler", 5) == 0));
    }
}

static void the_first_source_that_starts_is_used(void **state)
{
    (void)state;
    begin_world("ruler,aperf,auto");
    assert_true(cycle_is(&engine.facts.cycle, CYCLE_RULER) &&
                !cycle_is(&engine.facts.cycle, CYCLE_TSC));
    assert_string_equal(engine.facts.cycle.counter.used->name, "pmc");
    assert_int_equal(engine.facts.cycle.counter.refusals, 1);
    cycle_close(&engine);
    assert_true(w.starts == 1 && w.stops == 1);

    begin_world("aperf,pmc,auto");
    assert_string_equal(engine.facts.cycle.source.used->name, "pmc");
    assert_string_equal(engine.facts.cycle.source.refusal[0].why, "no aperf here");
    cycle_close(&engine);
    assert_true(w.starts == 1 && w.stops == 1);

    begin_world("pmc,auto"); /* a source before the ruler is not next to it */
    cycle_close(&engine);
    w.refuses = "in use";
    cycle_open(&engine);
    assert_int_equal(engine.facts.cycle.by, CYCLES_RULER);
    assert_null(engine.facts.cycle.counter.used);
    assert_string_equal(engine.facts.cycle.source.refusal[0].why, "in use");
}

/* A counter that is named starts, as the source or next to the ruler; otherwise the run is
 * refused. */
static void a_named_counter_has_to_start(void **state)
{
    (void)state;
    static const struct {
        const char *list, *said;
    } lists[] = {{"aperf", "aperf does not start: no aperf here"},
                 {"ruler,aperf", "aperf does not start: no aperf here"},
                 {"aperf,pmc", "aperf does not start: no aperf here"},
                 {"ruler,aperf,auto", NULL},
                 {"ruler,pmc,aperf", NULL}, /* one counter is all that is read */
                 {"auto", NULL},
                 {"null,aperf", NULL}};
    for (unsigned i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        char said[200];
        struct sink_buf b;
        begin_world(lists[i].list);
        sink_buf_init(&b, said, sizeof said);
        assert_true(cycle_check_words(&engine, &b.sink) == (lists[i].said == NULL));
        if (lists[i].said)
            assert_non_null(strstr(said, lists[i].said));
        cycle_close(&engine);
    }
}

/* The TSC by another instruction does not give core cycles either. */
static void rdtscp_gives_no_core_cycles(void **state)
{
    (void)state;
    char said[200];
    struct sink_buf b;
    uint64_t first, second;
    begin_world("rdtscp");
    assert_string_equal(engine.facts.cycle.source.used->name, "rdtscp");
    assert_true(engine.facts.cycle.by == CYCLES_UNKNOWN && !engine.facts.cycle.counter.used);
    assert_true(timer_read(&engine.facts.cycle.source, &first));
    assert_true(timer_read(&engine.facts.cycle.source, &second));
    assert_true(second > first);

    has_rdtscp = false;
    begin_world("rdtscp");
    has_rdtscp = true;
    sink_buf_init(&b, said, sizeof said);
    assert_false(cycle_check_words(&engine, &b.sink));
    assert_non_null(strstr(said, "rdtscp does not start: the CPU has no RDTSCP"));
}

static void a_stretch_has_its_core_cycles(void **state)
{
    (void)state;
    double cycles;
    begin_world("pmc");
    struct cycle_mark from = cycle_begin(&engine);
    pass(1e6, w.rate);
    struct cycle_mark to = cycle_end(&engine);
    assert_true(cycle_stretch(&engine, &from, &to, 7, &cycles));
    assert_close(cycles, 1e6 + READING, 0);
    to.known = false;
    assert_false(cycle_stretch(&engine, &from, &to, 7, &cycles));
    begin_world("ruler");
    assert_true(cycle_stretch(&engine, &from, &to, 7, &cycles));
    assert_close(cycles, 14, 0);
    begin_world("tsc");
    assert_false(cycle_stretch(&engine, &from, &to, 7, &cycles));
    begin_world("null");
    assert_false(cycle_stretch(&engine, &from, &to, 7, &cycles));
}

/* The self-test's record. */
static const char *judged(void)
{
    static char text[600];
    struct sink_buf b;
    struct report r;

    sink_buf_init(&b, text, sizeof text);
    report_init(&r, &b.sink, FORMAT_JSONL);
    struct probe_check linearity = {.result = SELFTEST_NOT_JUDGED};
    struct cycle_check counter = cycle_judge(&engine);
    selftests_core(&engine.facts, &linearity, &counter, &r);
    assert_int_equal(r.failures, strstr(text, "\"fail\"") != NULL);
    return text;
}

static void the_self_test_fails_a_counter_beyond_half_a_percent(void **state)
{
    (void)state;
    begin_world("ruler,pmc");
    assert_non_null(strstr(judged(), "\"pass\",\"detail\":\"core cycles an addition of the ruler: "
                                     "pmc 1.0000"));
    w.per_add = 1.0049;
    assert_non_null(strstr(judged(), "\"pass\""));
    w.per_add = 1.0051;
    assert_non_null(strstr(judged(), "\"fail\""));
    w.per_add = 0.9949;
    assert_non_null(strstr(judged(), "\"fail\""));
    w.per_add = 1;
    w.fail_every = 2;
    assert_non_null(strstr(judged(), "readings fail"));
    w.fail_every = 0;
    engine.facts.execution = EXEC_INSTRUCTIONS;
    assert_non_null(strstr(judged(), "\"not judged\""));
    begin_world("tsc,null");
    assert_non_null(strstr(judged(), "\"not judged\""));

    /* Next to aperf, if it had started, pmc is judged too, and stopped again. */
    begin_world("tsc");
    options.cycle = (struct timer_list){.n = 2, .id = {CYCLE_PMC, CYCLE_APERF}};
    static struct timer other = {.name = "other", .start = start, .read = count, .bits = 40};
    engine.facts.cycle.counter.used = &other;
    assert_non_null(strstr(judged(), "other 1.0000, pmc 1.0000"));
    assert_int_equal(w.stops, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_counter_gives_the_planted_cycles),
        cmocka_unit_test(a_drifting_clock_cancels),
        cmocka_unit_test(the_bodys_own_clock),
        cmocka_unit_test(failed_readings_leave_out_their_blocks),
        cmocka_unit_test(a_counter_that_stands_while_it_is_read),
        cmocka_unit_test(ruler_and_counter_disagree),
        cmocka_unit_test(without_a_counter_nothing_is_read),
        cmocka_unit_test(the_first_source_that_starts_is_used),
        cmocka_unit_test(a_named_counter_has_to_start),
        cmocka_unit_test(rdtscp_gives_no_core_cycles),
        cmocka_unit_test(a_stretch_has_its_core_cycles),
        cmocka_unit_test(the_self_test_fails_a_counter_beyond_half_a_percent),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
