/* A core with a counter of core cycles whose clock, work and failures are planted, for tests of
 * bench/engine/cycle.c. */
#ifndef TESTS_FAKE_CYCLE_H
#define TESTS_FAKE_CYCLE_H

#include "tests/unit/cmocka_unit.h"
#include "tests/unit/linked_tsc.h"

#include "bench/api/report.h"
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
    for (unsigned i = 0; i < PLACEMENTS; i++) {
        const struct part_place part = {i, 0, SAMPLES / PLACEMENTS, blocks / PLACEMENTS};
        sampler_take(&sampler, &engine, &bench, &placed, &part);
        sampler_judge(&sampler, &engine);
        row_figure_part(&sampler, &bench, &part, engine.facts.cycle.by, gathered, scratch);
    }
    struct row_figure h =
        row_figure(gathered, &bench, engine.facts.step, engine.facts.cycle.by, &means, scratch);
    free(scratch);
    free(memory);
    return h;
}

#endif
