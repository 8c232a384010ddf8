/*
 * Core cycles by a counter through the engine's arithmetic (bench/engine/sampler.c, row_figure.c,
 * cycle.c), on a simulated machine. The core cycles of its windows, its clock and the failures of
 * its counter are planted.
 */
#include "tests/unit/linked_tsc.h"
#include "bench/api/timer.h"
#include "bench/engine/poll.h"
#include "bench/engine/row_figure.h"
#include "bench/output/head.h"
#include "bench/engine/engine.h"
#include "bench/engine/layout.h"
#include "bench/engine/cycle.h"
#include "bench/engine/gathered.h"
#include "bench/engine/sampler.h"
#include "tests/unit/bench/fake_witness.h"
#include "tests/unit/close.h"
#include "tests/unit/text.h"

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

uint64_t tsc_now(void)
{
    return (uint64_t)w.ticks;
}

/* This CPU need not have the instruction. */
uint64_t tsc_now_rdtscp(void)
{
    pass(1, w.rate);
    return tsc_now();
}

void chain_adds(uint32_t adds)
{
    pass(adds * w.per_add, w.rate);
}

void place_cool(const struct placed *p)
{
}

/* `iterations`: its core cycles; bit 32 says whether it is a window of the ruler. */
static struct window_result window(struct object *o, const void *function, uint64_t iterations,
                                   uint64_t delay, uint64_t stack)
{
    uint64_t from = tsc_now();

    pass((uint32_t)iterations, iterations >> 32 ? w.ruler_rate : w.rate);
    w.rate *= w.drift;
    w.ruler_rate *= w.drift;
    return (struct window_result){.ticks = tsc_now() - from};
}

static const char *start(struct timer *t)
{
    w.starts += w.refuses == NULL;
    return w.refuses;
}

static void stop(struct timer *t)
{
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
static struct platform platform = {.timers.cycle = source, .events.nmis = no_nmis, .cpu = &cpu};
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
static struct row_figure run(void)
{
    static const struct bench bench = {.ops = OPS, .window.form = FORM_LOOP};
    const uint32_t cost[KINDS] = {
        [KIND_EMPTY] = FRAME,
        [KIND_RULER] = FRAME + RULER_ADDS,
        [KIND_RULER2] = FRAME + 2 * RULER_ADDS,
        [KIND_BODY] = FRAME + (uint32_t)(OPS * THETA),
        [KIND_BODY2] = FRAME + (uint32_t)(2 * OPS * THETA),
    };
    static struct object object;
    const struct row_figure_means means = {theta, theta + PLACEMENTS, PLACEMENTS, 1};
    size_t blocks = SAMPLES / ENGINE_BLOCK;
    uint64_t *memory = calloc(sampler_need(SAMPLES, blocks), sizeof *memory);
    uint64_t *scratch = calloc(6 * blocks + PLACEMENTS, sizeof *scratch);

    engine.memory = memory;
    memset(&placed, 0, sizeof placed);
    placed.object = &object;
    for (unsigned k = 0; k < KINDS; k++)
        if (cost[k]) {
            placed.kind[k].fn = window;
            placed.kind[k].iterations =
                cost[k] | (k == KIND_RULER || k == KIND_RULER2 ? 1ull << 32 : 0);
        }
    free(gathered);
    gathered = calloc(gathered_need(&options, SAMPLES, 1), sizeof(uint64_t));
    gathered_init(gathered, &engine);
    sampler_init(&sampler, &engine, SAMPLES, blocks, gathered);
    engine.sampler = &sampler;
    for (unsigned i = 0; i < PLACEMENTS; i++) {
        const struct part_place part = {i, 0, SAMPLES / PLACEMENTS, blocks / PLACEMENTS};
        sampler_take(&(struct sampling){&engine, &bench, &placed, part, false});
        sampler_judge(&sampler, &engine);
        row_figure_part(&sampler, &bench, &part, engine.facts.cycle.by, gathered, scratch);
    }
    struct row_figure h =
        row_figure(gathered, &bench, engine.facts.step, engine.facts.cycle.by, &means, scratch);
    free(scratch);
    free(memory);
    return h;
}

TEST(a_counter_gives_the_planted_cycles)
{
    begin_world("pmc");
    assert_int_equal(engine.facts.cycle.by, CYCLES_COUNTER);
    struct row_figure h = run();
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
    assert_int_equal(gathered->row.taken.unread, 0);
    assert_true(w.cycles > 1000000);
}

TEST(a_drifting_clock_cancels)
{
    begin_world("pmc");
    w.drift = 1.00005; /* by a third in all */
    struct row_figure h = run();
    assert_true(w.rate > 2.5);
    assert_close(h.cycles.theta, THETA, 0.002 * THETA);
    assert_close(h.counter.cycles.theta, h.cycles.theta, 0);
}

/* A core that is slower under this body than under additions, which no ruler can know. */
TEST(the_first_source_decides_where_the_body_slows_the_clock)
{
    begin_world("pmc,ruler");
    w.ruler_rate = 4;
    struct row_figure h = run();
    assert_close(h.cycles.theta, THETA, 0.002);
    assert_close(h.ruler.cycles.theta, 2 * THETA, 0.002);

    begin_world("ruler,pmc"); /* the counter decides */
    w.ruler_rate = 4;
    h = run();
    assert_int_equal(engine.facts.cycle.by, CYCLES_RULER);
    assert_close(h.cycles.theta, 2 * THETA, 0.002);
    assert_close(h.counter.cycles.theta, THETA, 0.002);
}

TEST(failed_readings_leave_out_their_blocks)
{
    const unsigned blocks = 5 * SAMPLES / ENGINE_BLOCK;

    begin_world("pmc");
    w.fail_every = 53;
    struct row_figure h = run();
    assert_close(h.cycles.theta, THETA, 1e-9);
    assert_int_equal(gathered->row.taken.unread + gathered->counter_rate.n, blocks);
    /* Two readings per block, and never both in one block. */
    assert_int_equal(gathered->row.taken.unread, blocks * 2 / 53);
    assert_false(row_counter_failed(&gathered->row)); /* a few: no word of them */
    assert_int_equal(engine.facts.cycle.counter.failed, w.reads / 53);

    begin_world("pmc");
    w.again_every = 3;
    h = run();
    assert_close(h.cycles.theta, THETA, 0.01); /* a reading tried again is in its block */
    assert_int_equal(gathered->row.taken.unread, 0);
    assert_int_equal(engine.facts.cycle.counter.again, w.reads / 3);

    begin_world("pmc");
    w.fail_every = 1;
    h = run();
    assert_true(h.known && h.ruler.known && !h.counter.known);
    assert_true(h.cycles.theta != h.cycles.theta);
    assert_close(h.ruler.cycles.theta, THETA, 1e-9);
    assert_int_equal(gathered->row.taken.unread, blocks);
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
TEST(ruler_and_counter_disagree)
{
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
TEST(a_counter_stopped_by_its_reading_gives_the_planted_cycles)
{
    begin_world("pmc");
    w.away = 3000;
    cycle_open(&engine);
    struct row_figure h = run();
    assert_close(h.cycles.theta, THETA, 1e-9);
    assert_close(h.ruler.cycles.theta, THETA, 1e-9);
}

TEST(without_a_counter_no_register_is_read)
{
    static const char *const lists[] = {"ruler", "tsc", "null", "rdtscp", "aperf", "ruler,aperf"};

    EACH_CASE (c, lists) {
        begin_world(*c);
        struct row_figure h = run();
        assert_int_equal(w.reads + w.starts, 0);
        assert_close(h.ruler.cycles.theta, THETA, 1e-9);
        assert_true(h.counter.cycles.theta != h.counter.cycles.theta);
        assert_int_equal(gathered->row.taken.unread, 0);
        assert_true(run_has_cycles(&engine.facts) == (strncmp(*c, "ruler", 5) == 0));
    }
}

TEST(the_first_source_that_starts_is_used)
{
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
TEST(a_named_counter_has_to_start)
{
    static const struct {
        const char *list, *said;
    } lists[] = {{"aperf", "aperf does not start: no aperf here"},
                 {"ruler,aperf", "aperf does not start: no aperf here"},
                 {"aperf,pmc", "aperf does not start: no aperf here"},
                 {"ruler,aperf,auto", NULL},
                 {"ruler,pmc,aperf", NULL}, /* one counter is all that is read */
                 {"auto", NULL},
                 {"null,aperf", NULL}};
    EACH_CASE (c, lists) {
        begin_world(c->list);
        assert_true(cycle_check_words(&engine, text_sink()) == (c->said == NULL));
        if (c->said)
            assert_non_null(strstr(text, c->said));
        cycle_close(&engine);
    }
}

/* The TSC by another instruction does not give core cycles either. */
TEST(rdtscp_gives_no_core_cycles)
{
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
    assert_false(cycle_check_words(&engine, text_sink()));
    assert_non_null(strstr(text, "rdtscp does not start: the CPU has no RDTSCP"));
}

/* The self-test's record. */
static const char *judged(void)
{
    struct report r;

    report_init(&r, text_sink(), FORMAT_JSONL);
    struct probe_check linearity = {.result = SELFTEST_NOT_JUDGED};
    struct cycle_check counter = cycle_judge(&engine);
    selftests_core(&engine.facts, &linearity, &counter, &r);
    assert_int_equal(r.failures, strstr(text, "\"fail\"") != NULL);
    return text;
}

TEST(the_self_test_fails_a_counter_beyond_half_a_percent)
{
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
