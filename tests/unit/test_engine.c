/*
 * The engine on windows that are planted: functions whose ticks are known stand where the code
 * buffer's windows do, and the figure must be the one that was planted.
 */
#include "tests/unit/unit.h"
#include <math.h>
#include <string.h>
#include "bench/measure/check.c"
#include "bench/measure/compensate.c"
#include "bench/measure/cycle.c"
#include "bench/measure/engine.c"
#include "bench/measure/gathered.c"
#include "bench/measure/guard.c"
#include "bench/measure/headline.c"
#include "bench/measure/interleave.c"
#include "bench/measure/layout.c"
#include "bench/measure/method.c"
#include "bench/measure/method_adaptive.c"
#include "bench/measure/method_stream.c"
#include "bench/measure/pace.c"
#include "bench/measure/parts.c"
#include "bench/api/report.c"
#include "bench/measure/sampler.c"
#include "bench/api/timer.c"
#include "tests/unit/fake_own.h"

#define OPS   1000
#define CALLS 100000

/* One call of a window, as the sampler made it. */
struct call {
    enum kind kind;
    uint64_t turns, delay, stack;
};

/* What the windows do; set by each test. */
static struct {
    struct call call[CALLS];
    size_t calls, of_kind[KINDS];
    double overhead, cycle, operation; /* ticks, ticks a core cycle, core cycles an operation */
    double drift;                      /* relative, each window */
    double (*extra)(enum kind k, size_t i); /* ticks on top of the i-th window of a kind, or NULL */
    bool (*fails)(size_t i);
    uint64_t ran;    /* row_begin() was told */
    uint64_t nmi_at; /* an NMI comes with this call; 0: none */
    uint64_t nmis;
    unsigned cooled;
    uint64_t interrupts; /* of the timer, so far */
} plant;

bool place_is_cold(const struct engine *e, const struct bench *b)
{
    return b->cold || e->o->caches == CACHES_CLEAR;
}

void place_cool(const struct placed *p)
{
    (void)p;
    plant.cooled++;
}

static double cycles_of(enum kind k)
{
    static const unsigned operations[KINDS] = {[KIND_BODY] = OPS, [KIND_BODY2] = 2 * OPS};
    static const unsigned adds[KINDS] = {[KIND_RULER] = RULER_ADDS, [KIND_RULER2] = 2 * RULER_ADDS};
    return operations[k] * plant.operation + adds[k];
}

static struct window_result window(enum kind k, uint64_t turns, uint64_t delay, uint64_t stack)
{
    size_t i = plant.of_kind[k]++;
    assert_true(plant.calls < CALLS);
    plant.call[plant.calls++] = (struct call){k, turns, delay, stack};
    if (plant.calls == plant.nmi_at)
        plant.nmis++;
    double ticks = plant.overhead + cycles_of(k) * plant.cycle;
    ticks *= 1 + plant.drift * (double)plant.calls;
    if (plant.extra)
        ticks += plant.extra(k, i);
    return (struct window_result){
        .ticks = (uint64_t)(ticks + 0.5),
        .failed = k == KIND_BODY && plant.fails && plant.fails(i),
    };
}

#define WINDOW(name_, kind_)                                                                       \
    static struct window_result name_(struct object *o, const void *f, uint64_t turns,             \
                                      uint64_t delay, uint64_t stack)                              \
    {                                                                                              \
        (void)o, (void)f;                                                                          \
        return window(kind_, turns, delay, stack);                                                 \
    }
WINDOW(empty, KIND_EMPTY)
WINDOW(ruler, KIND_RULER)
WINDOW(ruler2, KIND_RULER2)
WINDOW(body, KIND_BODY)
WINDOW(body2, KIND_BODY2)

static uint64_t nmis(void)
{
    return plant.nmis;
}

static uint64_t timer_interrupts(void)
{
    return plant.interrupts;
}

static void row_begin(const struct platform *p, const char *suite, const char *name, uint64_t ran)
{
    (void)p, (void)suite, (void)name;
    plant.ran = ran;
}

static void row_end(const struct platform *p)
{
    (void)p;
}

static const struct cpu cpu = {
    .vendor = VENDOR_INTEL, .tsc = true, .sse2 = true, .lfence_always_serializing = true};

/* How a guarded call ends, once it has run; NULL: all come back. Of a part these are its setup, its
 * windows and its check: so many come back before. */
static const struct guard_ended *ends;
static unsigned ends_after;

static bool guarded(void (*fn)(void *ctx), void *ctx, struct guard_ended *ended)
{
    fn(ctx);
    if (!ends || ends_after-- > 0)
        return true;
    *ended = *ends;
    return false;
}

static const struct platform platform = {.nmis = nmis,
                                         .timer_interrupts = timer_interrupts,
                                         .row_begin = row_begin,
                                         .row_end = row_end,
                                         .guarded = guarded,
                                         .image = 0x40000,
                                         .image_size = 0x20000,
                                         .cpu = &cpu};
static struct options options;
static struct bench bench = {.suite = "planted", .name = "row", .form = FORM_STRAIGHT, .ops = OPS};
static struct engine engine;
static struct sampler sampler;
static uint64_t memory[1 << 17], store[1 << 16];
static struct gathered *const gathered = (struct gathered *)(void *)store;

static const struct placed placed = {
    .at = {.stack = 160},
    .kind = {[KIND_EMPTY] = {empty, NULL, OPS},
             [KIND_RULER] = {ruler, NULL, OPS},
             [KIND_RULER2] = {ruler2, NULL, OPS},
             [KIND_BODY] = {body, NULL, OPS},
             [KIND_BODY2] = {body2, NULL, 2 * OPS}},
};

static int start(void **state)
{
    (void)state;
    memset(&plant, 0, sizeof plant);
    memset(&fake_own, 0, sizeof fake_own);
    ends = NULL;
    plant.overhead = 100;
    plant.cycle = 0.5;
    plant.operation = 3.25;
    options_default(&options);
    options.warmup = 0;
    engine = (struct engine){.p = &platform,
                             .o = &options,
                             .recipe = RECIPE_LFENCE,
                             .samples = 256,
                             .rounds = 1,
                             .step = 1,
                             .step_cycles = 37,
                             .memory = memory};
    return 0;
}

/* What a row of so many placements, all at one place, gathers in one round. */
static void take_at(const struct placed *at, unsigned placements)
{
    const size_t windows = engine.samples, blocks = windows / ENGINE_BLOCK;
    uint64_t *const scratch = memory + sampler_need(windows, blocks);
    assert_true(sampler_need(windows, blocks) + headline_part_need(blocks) <=
                sizeof memory / sizeof *memory);
    assert_true(gathered_need(&options, engine.samples, 1) <= sizeof store / sizeof *store);
    gathered_init(gathered, &engine);
    sampler_init(&sampler, &engine, windows, blocks);
    for (unsigned i = 0; i < placements; i++) {
        const struct part_place part = {i, 0, windows / placements, blocks / placements};
        sampler_take(&sampler, &engine, &bench, at, &part);
        sampler_judge(&sampler, &engine, gathered);
        headline_part(&sampler, &bench, &part, CYCLES_RULER, gathered, scratch);
    }
}

static void take(unsigned placements)
{
    take_at(&placed, placements);
}

static struct headline headline_now(unsigned placements)
{
    static double theta[LAYOUT_MAX], round;
    const struct headline_means means = {theta, &round, placements, 1};
    return headline(gathered, &bench, engine.step, CYCLES_RULER, &means, memory);
}

static struct headline figure(unsigned placements)
{
    take(placements);
    return headline_now(placements);
}

static void blocks_come_there_and_back(void **state)
{
    static const enum kind there[] = {KIND_EMPTY, KIND_RULER, KIND_RULER2, KIND_BODY, KIND_BODY2};
    const size_t kinds = sizeof there / sizeof there[0];
    (void)state;
    take(1);
    const struct call *c = plant.call + 3; /* behind the three fenced reads */
    for (size_t block = 0; block < 256 / ENGINE_BLOCK; block++)
        for (size_t k = 0; k < kinds; k++)
            for (size_t i = 0; i < ENGINE_BLOCK; i++, c++) {
                enum kind due = there[block % 2 ? kinds - 1 - k : k];
                assert_int_equal(c->kind, due);
                assert_int_equal(c->turns, due == KIND_BODY2 ? 2 * OPS : OPS);
                assert_int_equal(c->stack, WINDOW_STACK + 160);
            }
    assert_int_equal(c - plant.call, plant.calls);
}

/* docs/method.md "The step": delays below one step, each about as often, the same for every
 * kind. */
static void starts_are_dithered(void **state)
{
    size_t often[37] = {0}, seen[KINDS] = {0};
    (void)state;
    take(1);
    for (const struct call *c = plant.call + 3; c < plant.call + plant.calls; c++)
        assert_int_equal(c->delay, dither(&engine, seen[c->kind]++));
    for (uint64_t i = 0; i < 3700; i++)
        often[dither(&engine, i)]++;
    for (unsigned delay = 0; delay < 37; delay++)
        assert_in_range(often[delay], 97, 103);
}

static void doubled_bodies_give_what_was_planted(void **state)
{
    (void)state;
    struct headline h = figure(4);
    assert_true(h.known && h.doubled);
    assert_true(fabs(h.cycles.theta - 3.25) < 1e-9);
    assert_true(fabs(h.ticks - 3.25 * 0.5) < 1e-9);
    assert_int_equal(h.modes.count, 1);
    assert_true(fabs(gathered_location(gathered, KIND_EMPTY) - 100) < 1e-9);
}

/* The core's clock falls by 20% meanwhile: ticks drift, cycles do not. */
static void the_ruler_cancels_drift(void **state)
{
    (void)state;
    plant.drift = 0.2 / (5 * 256);
    struct headline h = figure(1);
    assert_true(fabs(h.cycles.theta / 3.25 - 1) < 5e-4);
    assert_true(h.ticks / (3.25 * 0.5) > 1.05);
}

static void what_cannot_be_doubled_is_less_the_empty_window(void **state)
{
    struct placed single = placed;
    (void)state;
    single.kind[KIND_BODY2].fn = NULL;
    take_at(&single, 1);
    struct headline h = headline_now(1);
    assert_true(h.known && !h.doubled);
    assert_true(fabs(h.cycles.theta - 3.25) < 1e-9);
}

static double settles(enum kind k, size_t i)
{
    size_t block = i / ENGINE_BLOCK;
    return k == KIND_BODY && block < 5 ? (double)(5 - block) * 40 : 0;
}

static void warm_up_ends_when_blocks_are_alike(void **state)
{
    (void)state;
    plant.extra = settles;
    options.warmup = 50;
    struct headline h = figure(1);
    assert_int_equal(sampler.span.warmup_blocks, 7); /* the sixth is settled, the seventh alike */
    assert_true(sampler.span.steady);
    assert_true(fabs(h.cycles.theta - 3.25) < 1e-9);
}

/* Two steps and more from window to window, as where the TSC's step is small: noise is no trend. */
static double noise(enum kind k, size_t i)
{
    return k == KIND_BODY ? (double)(i * 7919 % 13) * 5 : 0;
}

static void warm_up_ends_within_noise(void **state)
{
    (void)state;
    options.warmup = 50;
    plant.extra = noise;
    take(1);
    assert_true(sampler.span.steady && sampler.span.warmup_blocks <= 4);
}

/* An interrupt in a warm-up block neither ends the warm-up nor keeps it from ending. */
static double settles_and_stumbles(enum kind k, size_t i)
{
    return settles(k, i) + (k == KIND_BODY && i % 160 == 20 ? 100000 : 0);
}

static void an_interrupt_does_not_end_warm_up(void **state)
{
    (void)state;
    options.warmup = 50;
    plant.extra = settles_and_stumbles;
    take(1);
    assert_true(sampler.span.steady && sampler.span.warmup_blocks >= 6);
}

static double never_settles(enum kind k, size_t i)
{
    return k == KIND_BODY ? (double)(i / ENGINE_BLOCK) * 40 : 0;
}

static void warm_up_is_bounded(void **state)
{
    (void)state;
    plant.extra = never_settles;
    options.warmup = 9;
    take(1);
    assert_int_equal(sampler.span.warmup_blocks, 9);
    assert_false(sampler.span.steady);
}

static double now_and_then(enum kind k, size_t i)
{
    return k == KIND_BODY && i % 64 == 5 ? 100000 : 0;
}

/* Counted, kept among the samples, and left out of the figure. */
static void disturbed_windows_are_set_aside(void **state)
{
    (void)state;
    plant.extra = now_and_then;
    struct headline h = figure(1);
    assert_int_equal(gathered->row.disturbed, 4);
    struct summary all = histogram_summary(&gathered->body);
    assert_int_equal(all.n, 256);
    assert_true(all.max > 100000);
    assert_true(fabs(h.cycles.theta - 3.25) < 1e-9);
}

static bool every_fourth(size_t i)
{
    return i % 4 == 1;
}

static void failed_operations_are_omitted_and_counted(void **state)
{
    (void)state;
    bench.form = FORM_FUNCTION;
    plant.fails = every_fourth;
    struct headline h = figure(1);
    bench.form = FORM_STRAIGHT;
    assert_int_equal(gathered->row.errors, 64);
    assert_int_equal(histogram_summary(&gathered->body).n, 192);
    assert_true(fabs(h.cycles.theta - 3.25) < 1e-9);
}

static double block_of_the_nmi(enum kind k, size_t i)
{
    return k == KIND_BODY && i / ENGINE_BLOCK == 2 ? 7 : 0; /* too little to be seen by itself */
}

static void a_block_with_an_nmi_is_left_out(void **state)
{
    const size_t round = 5 * ENGINE_BLOCK;
    (void)state;
    plant.extra = block_of_the_nmi;
    plant.nmi_at = 3 + 2 * round + 3 * ENGINE_BLOCK + 5; /* in the body's third block */
    struct headline h = figure(1);
    assert_int_equal(gathered->row.disturbed, ENGINE_BLOCK);
    assert_true(fabs(h.cycles.theta - 3.25) < 1e-9);
}

/* A block without a figure is left out each time, not once. */
static void the_headline_is_the_same_twice(void **state)
{
    const size_t round = 5 * ENGINE_BLOCK;
    (void)state;
    plant.drift = 1e-5;
    plant.nmi_at = 3 + 2 * round + 3 * ENGINE_BLOCK + 5;
    struct headline first = figure(2), again = headline_now(2);
    assert_int_equal(gathered->row.disturbed, ENGINE_BLOCK);
    assert_true(first.cycles.theta == again.cycles.theta && first.se == again.se);
    assert_true(first.ticks == again.ticks && first.median == again.median);
    assert_true(first.cycles.half == again.cycles.half);
    assert_int_equal(first.modes.mode[0].n, again.modes.mode[0].n);
}

static void caches_are_cleared_before_each_window(void **state)
{
    (void)state;
    take(1);
    assert_int_equal(plant.cooled, 0);
    options.caches = CACHES_CLEAR;
    plant.calls = 0;
    take(1);
    assert_int_equal(plant.cooled, plant.calls);
}

static void parts_share_the_samples(void **state)
{
    (void)state;
    for (uint32_t samples = 16; samples < 3000; samples += 7)
        for (unsigned rounds = 1; rounds <= ROUNDS_MOST; rounds++) {
            struct parts parts;
            size_t windows = 0, blocks = 0;
            unsigned round = 0, placement = 0;
            parts_of(&parts, &options, samples, rounds);
            assert_true(parts.rounds >= 1 && parts.rounds <= rounds);
            assert_int_equal(parts.placements, layout_count(&options, samples));
            for (unsigned i = 0; i < parts.count; i++) {
                struct part_place p = parts_at(&parts, i);
                assert_true(p.blocks % 2 == 0 && p.blocks >= 2);
                assert_true(p.windows >= LAYOUT_WINDOWS / 2 || parts.count == 1);
                assert_true(p.windows <= parts_windows_most(&options, samples, rounds));
                assert_true(p.blocks <= parts_blocks_most(&options, samples, rounds));
                /* Parts of a round stand together, and those of a placement. */
                assert_true(p.round - round <= 1 && p.placement - placement <= 1);
                assert_int_equal(i == parts_first(&parts, p.round), i == 0 || p.round > round);
                round = p.round;
                placement = p.placement;
                windows += p.windows;
                blocks += p.blocks;
            }
            assert_int_equal(windows, samples);
            assert_int_equal(round + 1, parts.rounds);
            assert_int_equal(placement + 1, parts.placements);
            assert_int_equal(parts_first(&parts, parts.rounds), parts.count);
            assert_true(blocks <= parts_blocks(&options, samples, rounds));
        }
    struct parts parts;
    parts_of(&parts, &options, 2048, 4); /* 16 placements: 4 each */
    assert_int_equal(parts_first(&parts, 1), 4);
    options.layout = LAYOUT_FIXED; /* a part of its blocks in each */
    parts_of(&parts, &options, 2048, 4);
    assert_int_equal(parts.count, 4);
    assert_int_equal(parts_at(&parts, 3).blocks, 32);
}

/* --- whole rows ------------------------------------------------------------------------------- */

static struct placed places[LAYOUT_MAX];

static const char *not_placed; /* why place_row() cannot; NULL: it can */

bool place_row(struct engine *e, const struct bench *b, enum recipe recipe, struct placed *to,
               unsigned from, unsigned n)
{
    (void)e, (void)recipe;
    memset(to, 0, sizeof places); /* only those asked for are there */
    for (unsigned i = from; i < from + n; i++) {
        to[i] = placed;
        to[i].check = b->check;
    }
    return !not_placed;
}

const char *place_why(const struct engine *e)
{
    (void)e;
    return not_placed;
}

void place_object(const struct placed *p)
{
    (void)p;
}

void compiled_init(struct compiled *c)
{
    (void)c;
}

/* The rows measure alone. */
bool gate_pass(const struct engine *e, uint64_t ticks, struct row *row)
{
    (void)e, (void)ticks, (void)row;
    return true;
}

static double three(const struct cpu *c)
{
    (void)c;
    return 3;
}

static uint64_t done;
static const char *remembers(const struct object *o, uint64_t operations)
{
    (void)o;
    done += operations;
    return NULL;
}

static const char *finds_fault(const struct object *o, uint64_t operations)
{
    (void)o, (void)operations;
    return "planted";
}

/* Through its rounds, the first `rounds` of them. */
static void row_of(const struct bench *b, unsigned rounds, struct row *row)
{
    assert_true(gathered_need(&options, engine.samples, engine.rounds) <=
                sizeof store / sizeof *store);
    engine.sampler = &sampler;
    engine.placed = places;
    engine.execution = EXEC_SILICON;
    engine_begin(&engine, b, gathered);
    for (unsigned i = 0; i < rounds; i++)
        engine_round(&engine, gathered, i);
    engine_end(&engine, gathered, row);
}

static struct row whole_row(struct bench b)
{
    static struct row row; /* what it says stands in it */
    row_of(&b, engine.rounds, &row);
    return row;
}

static void what_cannot_be_placed_fails_the_row(void **state)
{
    (void)state;
    not_placed = "planted";
    struct row row = whole_row(bench);
    not_placed = NULL;
    assert_int_equal(row.status, ROW_WRONG);
    assert_string_equal(row.why, "planted");
    assert_int_equal(row.windows, 0);
}

static void work_that_is_gone_fails_the_row(void **state)
{
    struct bench b = bench;
    (void)state;
    b.floor = 0.25;
    assert_int_equal(whole_row(b).status, ROW_OK);
    plant.operation = 0.2;
    struct row row = whole_row(b);
    assert_int_equal(row.status, ROW_WRONG);
    assert_non_null(strstr(row.why, "the work is gone"));
    b.floor = 0; /* its vanishing is the point */
    assert_int_equal(whole_row(b).status, ROW_OK);
}

static void an_untrue_figure_fails_the_row(void **state)
{
    struct bench b = bench;
    (void)state;
    b.truth = three;
    plant.operation = 3.01;
    struct row row = whole_row(b);
    assert_int_equal(row.status, ROW_OK);
    assert_true(row.truth == 3);
    plant.operation = 3.05; /* 1.7%; the interval, by kappa, is 0.7% */
    row = whole_row(b);
    assert_int_equal(row.status, ROW_WRONG);
    assert_non_null(strstr(row.why, "not the documented figure"));
    b.truth = NULL;
    assert_int_equal(whole_row(b).status, ROW_OK);
}

/* --- a core that is shared -------------------------------------------------------------------- */

/* A neighbour is there in one of three stretches of 97 windows. */
static bool a_third(void)
{
    return plant.calls / 97 % 3 == 1;
}

static bool at_all_times(void)
{
    return true;
}

static double slowed(enum kind k, size_t i)
{
    (void)i;
    return k >= KIND_BODY && fake_own.is_shared() ? 400 * cycles_of(k) / 1000 : 0;
}

static void shared_blocks_are_taken_again(void **state)
{
    struct bench b = bench;
    (void)state;
    b.truth = three;
    b.floor = 2.9;
    plant.operation = 3;
    plant.extra = slowed;
    fake_own.is_shared = a_third;
    options.quiet_budget = 20;
    engine.samples = 1024;
    struct row row = whole_row(b);
    assert_int_equal(row.status, ROW_OK);
    assert_false(row.shared);
    assert_true(fabs(row.headline.cycles.theta - 3) < 1e-9);
    assert_true(row.shared_blocks > row.blocks / 5 && row.shared_blocks < row.blocks * 2 / 3);
    assert_int_equal(row.blocks, fake_own.blocks);
    assert_int_equal(row.shared_blocks, fake_own.shared);
    assert_int_equal(row.blocks, 5 * engine.samples / ENGINE_BLOCK + row.shared_blocks);
    /* They are in the histogram. */
    assert_true(row.ticks.n > engine.samples && row.ticks.max > row.ticks.min);
    options.quiet_budget = 0;
    row = whole_row(b);
    assert_int_equal(row.blocks, 5 * engine.samples / ENGINE_BLOCK);
    assert_true(row.ticks.n == engine.samples && row.shared_blocks > 0);
    assert_true(fabs(row.headline.cycles.theta - 3) < 1e-9 || row.shared);
}

/* Blocks between two readings are one: shared or not, and taken again together. */
static void a_reading_stands_for_a_run_of_blocks(void **state)
{
    (void)state;
    plant.operation = 3;
    plant.extra = slowed;
    fake_own.is_shared = a_third;
    options.quiet_budget = 20;
    engine.samples = 1024;
    struct row single = whole_row(bench);
    unsigned reads = fake_own.reads;
    fake_own.wait = 3;
    fake_own.reads = 0;
    struct row row = whole_row(bench);
    assert_true(fake_own.reads < reads / 2 && single.blocks > 0);
    assert_true(fabs(row.headline.cycles.theta - 3) < 1e-9);
    assert_int_equal(row.blocks, 5 * engine.samples / ENGINE_BLOCK + row.shared_blocks);
    options.quiet_budget = 2;
    fake_own.is_shared = at_all_times;
    row = whole_row(bench);
    assert_int_equal(row.blocks, 3 * 5 * engine.samples / ENGINE_BLOCK);
}

static void a_core_that_is_never_alone_is_not_judged(void **state)
{
    struct bench b = bench;
    (void)state;
    b.truth = three;
    b.floor = 10;
    plant.operation = 3.5;
    plant.extra = slowed;
    fake_own.is_shared = at_all_times;
    options.quiet_budget = 3;
    struct row row = whole_row(b);
    assert_int_equal(row.status, ROW_OK);
    assert_true(row.shared && row.shared_blocks == row.blocks);
    assert_int_equal(row.blocks, 4 * 5 * engine.samples / ENGINE_BLOCK); /* the budget is spent */
    assert_true(row.headline.known && row.headline.cycles.theta > 3.5);
    fake_own.is_shared = NULL; /* the same figure of a core alone */
    plant.extra = NULL;
    assert_int_equal(whole_row(b).status, ROW_WRONG);
}

/* Few quiet blocks: the figure is theirs, the interval holds what the others say. */
static bool mostly(void)
{
    return plant.calls / 97 % 8 != 1;
}

static void the_interval_holds_both_states(void **state)
{
    (void)state;
    plant.operation = 3;
    plant.extra = slowed;
    fake_own.is_shared = mostly;
    options.quiet_budget = 0;
    engine.samples = 1024;
    struct row row = whole_row(bench);
    const struct estimate *c = &row.headline.cycles;
    assert_true(row.shared);
    assert_true(c->theta - c->half <= 3 && c->theta + c->half > 3.5);
}

static void an_older_best_is_judged_again(void **state)
{
    struct row row;
    (void)state;
    assert_false(whole_row(bench).shared);
    engine_begin(&engine, &bench, gathered);
    for (unsigned i = 0; i < engine.rounds; i++)
        engine_round(&engine, gathered, i);
    fake_own.limit = 0.1; /* a better one was found meanwhile: 0.125 is above it */
    engine_end(&engine, gathered, &row);
    assert_true(row.shared && row.headline.known);
}

static void the_work_is_checked(void **state)
{
    struct bench b = bench;
    (void)state;
    b.check = remembers;
    done = 0;
    assert_int_equal(whole_row(b).status, ROW_OK);
    assert_int_equal(done, OPS * (plant.of_kind[KIND_BODY] + 2 * plant.of_kind[KIND_BODY2]));
    b.check = finds_fault;
    struct row row = whole_row(b);
    assert_int_equal(row.status, ROW_WRONG);
    assert_string_equal(row.why, "planted");
}

/* --- rows that are ended ---------------------------------------------------------------------- */

/* One function is placed. */
const char *place_name_at(uint64_t at, uint64_t *behind)
{
    *behind = at - (PLATFORM_CODE_VA + 0x2000);
    return *behind < 8 ? "a_body" : NULL;
}

bool window_holds(const uint8_t *code, size_t at, const char *name, size_t *behind)
{
    (void)code;
    *behind = 0x12;
    return at == 0x1000 && strcmp(name, "planted/row/B2") == 0;
}

static void ended_row(struct row *row, enum guard_end by, uint64_t at)
{
    struct guard_ended ended = {.by = by, .at = at, .what = "#UD invalid opcode (vector 6)"};
    struct bench b = bench;
    b.check = finds_fault; /* it is not asked about work that was not done */
    ends = &ended;
    ends_after = 1;
    row_of(&b, 1, row);
    ends = NULL;
    assert_true(row->ended);
    assert_int_equal(row->ticks.n, 0);
    assert_false(row->headline.known);
    assert_int_equal(row->status, ROW_WRONG);
}

static void a_fault_fails_the_row_and_says_where(void **state)
{
    struct row row;
    (void)state;
    ended_row(&row, GUARD_FAULT, PLATFORM_CODE_VA + 0x1000);
    assert_string_equal(row.why, "#UD invalid opcode (vector 6) at 100000001000 in "
                                 "planted/row/B2+0x12");
    ended_row(&row, GUARD_FAULT, PLATFORM_CODE_VA + 0x1001);
    assert_string_equal(row.why, "#UD invalid opcode (vector 6) at 100000001001 in "
                                 "the code buffer+0x1001");
    ended_row(&row, GUARD_FAULT, 0x41234);
    assert_string_equal(row.why, "#UD invalid opcode (vector 6) at 41234 (image+0x1234)");
    ended_row(&row, GUARD_FAULT, PLATFORM_CODE_VA + 0x2003);
    assert_string_equal(row.why, "#UD invalid opcode (vector 6) at 100000002003 in a_body+0x3");
}

static void the_deadline_fails_the_row(void **state)
{
    struct row row;
    (void)state;
    options.deadline = 7;
    ended_row(&row, GUARD_DEADLINE, 0x10);
    assert_string_equal(row.why, "it ran longer than deadline=7 seconds and was ended at 10");
}

static void a_person_stops_more_than_the_row(void **state)
{
    struct pace pace = {.p = &platform, .hz = UINT64_MAX}; /* it never looks */
    struct row row;
    (void)state;
    engine.pace = &pace;
    ended_row(&row, GUARD_DEADLINE, 0);
    assert_false(pace.stopped);
    ended_row(&row, GUARD_STOPPED, 0);
    assert_true(pace.stopped); /* which shows no row that was under way */
}

/* --- rounds ----------------------------------------------------------------------------------- */

/* The same windows, whatever the rounds: what all of them say is the same. */
static void rounds_are_parts_of_one_row(void **state)
{
    (void)state;
    engine.samples = 2048;
    plant.extra = now_and_then;
    struct row one = whole_row(bench);
    uint64_t windows = one.windows;
    assert_int_equal(one.rounds, 1);
    assert_int_equal(one.ticks.n, 2048);
    for (unsigned rounds = 2; rounds <= ROUNDS_MOST; rounds *= 2) {
        start(NULL);
        engine.samples = 2048;
        engine.rounds = rounds;
        plant.extra = now_and_then;
        struct row row = whole_row(bench);
        assert_int_equal(row.status, ROW_OK);
        assert_int_equal(row.rounds, rounds);
        assert_int_equal(row.ticks.n, 2048);
        assert_int_equal(row.placements, LAYOUT_SHUFFLED);
        assert_true(row.headline.cycles.theta == one.headline.cycles.theta);
        assert_int_equal(row.headline.cycles.rounds, rounds);
        assert_int_equal(row.headline.cycles.placements, LAYOUT_SHUFFLED);
        assert_int_equal(row.disturbed, one.disturbed);
        assert_true(row.net == one.net && row.ticks.sd == one.ticks.sd);
        assert_true(row.ticks.median == one.ticks.median && row.ticks.max == one.ticks.max);
        assert_int_equal(row.headline.modes.count, 1);
        assert_true(row.windows >= windows); /* each part has its warm-up */
    }
}

static double slower_body(enum kind k, size_t i)
{
    return (k == KIND_BODY2 && i >= 1024) * 65; /* 4% from the third round on */
}

/* What differs from round to round stands in the interval, however alike the placements of a round
 * are. */
static void rounds_widen_the_interval(void **state)
{
    (void)state;
    engine.samples = 2048;
    engine.rounds = 4;
    plant.extra = slower_body;
    struct row row = whole_row(bench);
    assert_true(fabs(row.round_theta[0] - 3.25) < 1e-3);
    assert_true(fabs(row.round_theta[3] - 3.25 * 1.04) < 1e-3);
    double apart = row.round_theta[3] - row.round_theta[0];
    assert_true(fabs(row.headline.cycles.between - apart / sqrt(3)) < 1e-6);
    assert_true(row.headline.cycles.half > 2 * apart);
    assert_true(row.theta[0] == row.round_theta[0]);
}

static void fixed_layout_has_a_part_in_each_round(void **state)
{
    (void)state;
    options.layout = LAYOUT_FIXED;
    engine.samples = 2048;
    engine.rounds = 4;
    plant.extra = slower_body;
    struct row row = whole_row(bench);
    assert_int_equal(row.placements, 1);
    assert_int_equal(row.rounds, 4);
    assert_true(fabs(row.theta[0] - 3.25 * 1.02) < 1e-3);
    assert_int_equal(row.headline.cycles.rounds, 4);
    assert_true(row.headline.cycles.half > 0.1);
}

static void a_row_that_is_stopped_has_its_whole_rounds(void **state)
{
    struct row row;
    (void)state;
    engine.samples = 2048;
    engine.rounds = 4;
    row_of(&bench, 2, &row);
    assert_int_equal(row.rounds, 2);
    assert_int_equal(row.ticks.n, 1024);
    assert_true(fabs(row.headline.cycles.theta - 3.25) < 1e-9);
    assert_int_equal(row.headline.cycles.rounds, 2);
    assert_true(row.theta[8] != row.theta[8]); /* not taken, hence not known */
    assert_true(row.round_theta[2] != row.round_theta[2]);

    /* In the middle of a round: that row is not at fault. */
    struct pace pace = {.p = &platform, .hz = UINT64_MAX};
    struct guard_ended ended = {.by = GUARD_STOPPED};
    engine.pace = &pace;
    row_of(&bench, 1, &row);
    ends = &ended;
    ends_after = 1;
    engine_round(&engine, gathered, 1);
    ends = NULL;
    engine_end(&engine, gathered, &row);
    assert_true(pace.stopped && row.status == ROW_OK && !row.why && !row.ended);
    assert_int_equal(row.rounds, 1);
    assert_true(fabs(row.headline.cycles.theta - 3.25) < 1e-9);
}

static void a_fault_in_a_later_round_ends_the_row(void **state)
{
    struct guard_ended ended = {.by = GUARD_FAULT, .what = "#UD"};
    struct row row;
    (void)state;
    engine.samples = 2048;
    engine.rounds = 4;
    row_of(&bench, 1, &row);
    ends = &ended;
    ends_after = 1;
    engine_round(&engine, gathered, 1);
    ends = NULL;
    size_t calls = plant.calls;
    engine_round(&engine, gathered, 2); /* it is not tried again */
    assert_int_equal(plant.calls, calls);
    engine_end(&engine, gathered, &row);
    assert_true(row.status == ROW_WRONG && row.ended && !row.headline.known);
    assert_int_equal(row.ticks.n, 0);
}

/* Setup, windows and check: what is behind the one that ends is not called. */
static void what_is_around_the_windows_is_guarded(void **state)
{
    static const bool windows[] = {false, true, true};
    struct guard_ended ended = {.by = GUARD_DEADLINE};
    struct row row;
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        plant.calls = 0;
        ends = &ended;
        ends_after = i;
        row_of(&bench, 1, &row);
        ends = NULL;
        assert_true(row.ended && row.status == ROW_WRONG && !row.headline.known);
        assert_int_equal(plant.calls > 0, windows[i]);
    }
    /* What shows how a fault ends the run has its setup outside: the first call is its windows'. */
    struct bench outside = bench;
    outside.faults_outside = true;
    plant.calls = 0;
    ends = &ended;
    ends_after = 0;
    row_of(&outside, 1, &row);
    ends = NULL;
    assert_true(row.ended && plant.calls > 0);
}

static void short_rounds_have_one_deadline(void **state)
{
    struct row row;
    (void)state;
    engine.samples = 2048;
    engine.rounds = 4;
    engine.tsc_hz = 1e9;
    options.deadline = 2;
    row_of(&bench, 1, &row);
    assert_true(plant.ran == 0 && gathered->ran > 0);
    gathered->ran = 1900000000;
    engine_round(&engine, gathered, 1); /* it has what is left */
    assert_true(plant.ran == 1900000000 && gathered->rounds == 2 && gathered->ran > plant.ran);
    gathered->ran = 2100000000;
    engine_round(&engine, gathered, 2);
    engine_end(&engine, gathered, &row);
    assert_true(row.ended && row.status == ROW_WRONG);
    assert_string_equal(
        row.why, "it ran longer than deadline=2 seconds, all rounds together, and was ended");
}

static double each_another(enum kind k, size_t i)
{
    return k == KIND_BODY ? (double)(i * 37 % 2048) * 4 : 0;
}

/* More values than there are bins: bins are wider, and the figure is the same. */
static void memory_is_bounded(void **state)
{
    (void)state;
    engine.samples = 2048;
    plant.extra = each_another;
    struct row one = whole_row(bench);
    assert_int_equal(one.hist->width, 1);
    assert_int_equal(one.hist->used, 2048);
    start(NULL);
    engine.samples = 2048;
    engine.rounds = 4;
    plant.extra = each_another;
    struct row row = whole_row(bench);
    assert_true(row.hist->width > 1 && row.hist->used <= GATHERED_BODY_BINS);
    assert_true(fabs(row.ticks.median - one.ticks.median) < (double)row.hist->width);
    assert_true(fabs(row.ticks.mean - one.ticks.mean) < 1e-6 && row.ticks.max == one.ticks.max);
    options.hist = HIST_FULL; /* all that was asked for */
    assert_true(gathered_need(&options, 2048, 4) <= sizeof store / sizeof *store);
    plant.calls = plant.of_kind[KIND_BODY] = 0;
    row = whole_row(bench);
    assert_int_equal(row.hist->width, 1);
    assert_true(gathered_need(&options, 1000000, 4) > 2000000);
    options.hist = HIST_CAPPED;
    assert_true(gathered_need(&options, 1000000, 4) < 200000);
    assert_true(gathered_need(&options, 2048, 4) * sizeof(uint64_t) < 24000);
}

static void exact_figures_need_one_round(void **state)
{
    struct behave_verdict v = {.execution = EXEC_INSTRUCTIONS, .ticks_per_instruction = 128};
    (void)state;
    engine_executed_by(&engine, &v);
    assert_int_equal(engine.rounds, 1);
    v.execution = EXEC_EMULATED;
    engine_executed_by(&engine, &v);
    assert_int_equal(engine.rounds, 1);
    v.execution = EXEC_SILICON;
    engine.samples = 2048;
    engine_executed_by(&engine, &v);
    assert_int_equal(engine.rounds, 4);
    options.method = METHOD_PLAIN;
    engine_executed_by(&engine, &v);
    assert_int_equal(engine.rounds, 1);
}

/* --- by another method ----------------------------------------------------------------------- */

static struct row by_method(enum method method)
{
    options.method = method;
    struct row row = whole_row(bench);
    assert_int_equal(row.method.method, method);
    return row;
}

static void each_method_finds_what_was_planted(void **state)
{
    static const enum method methods[] = {METHOD_PLAIN, METHOD_KBEST, METHOD_ENSEMBLES};
    (void)state;
    options.ensembles = 4;
    options.size = 16;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        start(NULL);
        options.ensembles = 4;
        options.size = 16;
        struct row row = by_method(methods[i]);
        assert_int_equal(row.status, ROW_OK);
        assert_true(row.headline.known && fabs(row.headline.cycles.theta - 3.25) < 0.01);
        assert_null(row.method.doubt);
    }
}

/* The core's clock falls meanwhile: a body that costs nothing still costs nothing, which it would
 * not if all of its windows came after all of the empty ones. */
static void a_drift_does_not_fall_into_the_difference(void **state)
{
    (void)state;
    plant.operation = 0;
    plant.overhead = 10000;
    plant.drift = 0.2 / (4 * 256);
    struct row row = by_method(METHOD_PLAIN);
    assert_true(fabs(row.method.ticks) * OPS < 20); /* one after the other: 1000 */
    assert_non_null(row.method.doubt);
}

/* Never two alike, so that the smallest do not agree. */
static double ever_faster(enum kind k, size_t i)
{
    (void)k;
    return 100000 - 10 * (double)i;
}

/* K-best takes body and what is subtracted in blocks in turn, there and back: neither is had in one
 * go, or a drift between them would be the figure. */
static void kbest_comes_there_and_back(void **state)
{
    static const enum kind way[] = {KIND_EMPTY, KIND_RULER, KIND_RULER2, KIND_BODY};
    const size_t kinds = sizeof way / sizeof way[0], warm = kinds * 2 * ENGINE_BLOCK;
    (void)state;
    options.most = 128;
    options.epsilon = 0;
    plant.extra = ever_faster;
    struct row row = by_method(METHOD_KBEST);
    assert_int_equal(row.method.body.all.n, 128);
    assert_int_equal(row.method.empty.all.n, 128);
    assert_false(row.method.body.kbest.converged);
    for (size_t block = 0; block < 4 * kinds; block++) {
        size_t k = block % kinds;
        enum kind due = way[block / kinds % 2 ? kinds - 1 - k : k];
        for (size_t i = 0; i < ENGINE_BLOCK; i++)
            assert_int_equal(plant.call[warm + block * ENGINE_BLOCK + i].kind, due);
    }
}

/* All windows are alike, so that K-best has enough at once: there, and back all the same. */
static void kbest_that_agrees_at_once_comes_back(void **state)
{
    static const uint64_t most[] = {500, 20, 4};
    (void)state;
    for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
        start(NULL);
        options.k = 3;
        options.most = most[i];
        struct row row = by_method(METHOD_KBEST);
        const struct method_side *body = &row.method.body, *empty = &row.method.empty;
        assert_true(body->kbest.converged && empty->kbest.converged);
        uint64_t due = most[i] < 6 ? most[i] : 6; /* K there, K back */
        assert_int_equal(body->all.n, due);
        assert_int_equal(empty->all.n, due);
        /* Behind the warm-up: E's way there, B's there, B's back, E's back. */
        const size_t warm = 4 * 2 * ENGINE_BLOCK;
        uint64_t seen = 0;
        enum kind last = KIND_BODY;
        for (size_t call = warm; call < plant.calls && seen < 2 * due; call++) {
            enum kind k = plant.call[call].kind;
            if (k != KIND_EMPTY && k != KIND_BODY)
                continue;
            bool there = seen < due;
            bool first = there ? seen < due / 2 : seen < due + due / 2;
            last = there == first ? KIND_EMPTY : KIND_BODY;
            assert_int_equal(k, last);
            seen++;
        }
        assert_int_equal(seen, 2 * due);
        assert_int_equal(last, KIND_EMPTY);
    }
}

#define INTERRUPT 5000 /* ticks */

/* One in every fifth window of the body, and in every 64th of what is subtracted. */
static double interrupted(enum kind k, size_t i)
{
    bool now = (k == KIND_BODY && i % 5 == 0) || (k == KIND_EMPTY && i % 64 == 0);
    plant.interrupts += now;
    return (now ? INTERRUPT : 0) + (double)(i % 7) * 30;
}

static void timer_interrupts_are_taken_off(void **state)
{
    (void)state;
    options.most = 100;
    options.epsilon = 0;
    options.k = 32;
    plant.extra = interrupted;
    struct row as_it_is = by_method(METHOD_KBEST);
    assert_int_equal(as_it_is.method.body.interrupts, 0);
    assert_true(as_it_is.method.body.greatest > as_it_is.method.body.least + INTERRUPT);

    memset(plant.of_kind, 0, sizeof plant.of_kind);
    plant.calls = 0;
    engine.compensate.cost = (struct tick_cost){.known = true, .cost = INTERRUPT};
    struct row without = by_method(METHOD_KBEST);
    const struct method_side *body = &without.method.body, *nothing = &without.method.empty;
    assert_in_range(body->interrupts, body->all.n / 5, body->all.n / 5 + 8); /* warm-up's too */
    assert_true(body->greatest <= body->least + 6 * 30);
    assert_in_range(nothing->interrupts, 1, 8);
    assert_true(nothing->greatest <= nothing->least + 6 * 30);
    assert_int_equal(body->least, as_it_is.method.body.least);
}

/* A timer that interrupts at even intervals of the planted time; an interrupt takes INTERRUPT ticks
 * and up to a tenth more. */
static struct {
    double interval, now;
    unsigned n;
} timer;

static double interrupts_of_a_timer(enum kind k, size_t i)
{
    (void)i;
    double ticks = plant.overhead + cycles_of(k) * plant.cycle, more = 0;
    for (timer.now += ticks; timer.now >= timer.interval; timer.now -= timer.interval) {
        plant.interrupts++;
        more += INTERRUPT + timer.n++ % 11 * (INTERRUPT / 100);
    }
    return more;
}

/* As compensate_open() finds it: the least gap in which an interrupt came. */
static struct tick_cost cost_of_interrupts(double interval)
{
    struct tick_finder f;
    uint64_t tsc = 0;
    tick_start(&f, 0, 0);
    for (unsigned n = 1; tick_is_gap(&f, tsc += (uint64_t)interval) &&
                         tick_add(&f, INTERRUPT + n % 11 * (INTERRUPT / 100), tsc, n);
         n++)
        continue;
    return tick_judge(&f);
}

static struct row of_interval(double interval, bool compensated)
{
    start(NULL);
    options.epsilon = 0;
    plant.operation = 20000; /* a window of ten milliseconds and more of a GHz */
    plant.extra = interrupts_of_a_timer;
    timer.interval = interval;
    timer.now = 0;
    timer.n = 0;
    if (compensated)
        engine.compensate.cost = cost_of_interrupts(interval);
    return by_method(METHOD_KBEST);
}

/* In every window of a long body interrupts come, so that no minimum is without. Windows that are
 * short beside the time between two interrupts have some without: they tell the truth. */
static void a_long_window_is_compensated_towards_the_truth(void **state)
{
    (void)state;
    const double window = OPS * 20000 * 0.5;
    double truth = of_interval(50 * window, false).method.ticks;
    assert_true(fabs(truth - 10000) < 1);
    for (double parts = 1.5; parts < 10; parts += 0.7) {
        struct row as_it_is = of_interval(window / parts, false);
        struct row without = of_interval(window / parts, true);
        assert_true(engine.compensate.cost.known && engine.compensate.cost.cost == INTERRUPT);
        double off = as_it_is.method.ticks - truth, left = without.method.ticks - truth;
        assert_true(off * OPS > INTERRUPT * 0.9); /* one at the least */
        assert_true(fabs(left) < fabs(off) / 4);
        assert_true(without.method.body.interrupts >= without.method.body.all.n);
        assert_true(without.method.body.least_as_read >= without.method.body.least + INTERRUPT);
    }
}

static void compensation_says_why_not(void **state)
{
    (void)state;
    struct platform bare = platform;
    engine.p = &bare;
    options.method = METHOD_KBEST;
    compensate_open(&engine);
    assert_null(engine.compensate.why_not); /* not asked for */
    options.compensate = COMPENSATE_ON;
    bare.timer_interrupts = NULL;
    compensate_open(&engine);
    assert_non_null(strstr(engine.compensate.why_not, "every interrupt is masked here"));
    assert_false(engine.compensate.cost.known);
    bare.timer_interrupts = timer_interrupts;
    engine.execution = EXEC_EMULATED;
    compensate_open(&engine);
    assert_non_null(strstr(engine.compensate.why_not, "an emulator's time"));
    engine.execution = EXEC_SILICON;
    engine.tsc_hz = 1e7; /* two seconds of it are soon over, and no interrupt is counted */
    compensate_open(&engine);
    assert_non_null(strstr(engine.compensate.why_not, "too few timer interrupts"));
    options.method = METHOD_PLAIN;
    compensate_open(&engine);
    assert_null(engine.compensate.why_not);
}

static double slow_empty(enum kind k, size_t i)
{
    (void)i;
    return k == KIND_EMPTY ? 500 : 0;
}

static void a_negative_difference_says_so(void **state)
{
    (void)state;
    plant.operation = 0;
    plant.extra = slow_empty;
    for (enum method m = METHOD_PLAIN; m <= METHOD_KBEST; m++) {
        struct row row = by_method(m);
        assert_true(row.method.ticks < 0);
        assert_non_null(strstr(row.method.doubt, "negative"));
    }
}

static void checks_are_made_by_each_method(void **state)
{
    (void)state;
    bench.floor = 0.25;
    plant.operation = 0;
    for (enum method m = METHOD_PLAIN; m <= METHOD_KBEST; m++) {
        struct row row = by_method(m);
        assert_int_equal(row.status, ROW_WRONG);
        assert_non_null(strstr(row.why, "the work is gone"));
    }
    bench.floor = 0;
    bench.truth = three;
    plant.operation = 3.5;
    struct row row = by_method(METHOD_KBEST);
    bench.truth = NULL;
    assert_non_null(strstr(row.why, "not the documented figure"));
    assert_true(row.truth == 3);
}

static void disturbed_windows_are_counted_by_each_method(void **state)
{
    (void)state;
    plant.extra = now_and_then;
    struct row row = by_method(METHOD_PLAIN);
    assert_true(row.disturbed > 0 && row.method.body.all.n == 256);
    assert_true(row.method.body.greatest > 100000);
}

/* --- where a row is placed -------------------------------------------------------------------- */

static void the_seed_draws_the_placements(void **state)
{
    uint64_t codes = 0;
    (void)state;
    assert_int_equal(layout_count(&options, 2048), LAYOUT_SHUFFLED);
    assert_int_equal(layout_count(&options, 3 * LAYOUT_WINDOWS), 3);
    assert_int_equal(layout_count(&options, 16), 1);
    for (unsigned i = 0; i < LAYOUT_SHUFFLED; i++) {
        struct placement p = layout_at(&options, i), again = layout_at(&options, i);
        assert_memory_equal(&p, &again, sizeof p);
        assert_true(p.line < 64 && p.code < 64 && p.stack < 4096 && p.data < 4096);
        assert_true(p.stack % 16 == 0 && p.data % 8 == 0);
        codes |= 1ull << p.code;
    }
    assert_true(__builtin_popcountll(codes) > LAYOUT_SHUFFLED / 2);
    struct placement one = layout_at(&options, 0);
    options.seed++;
    struct placement other = layout_at(&options, 0);
    assert_memory_not_equal(&one, &other, sizeof one);
}

static void a_sweep_goes_through_every_offset(void **state)
{
    uint64_t seen[LAYOUT_PARTS] = {0};
    (void)state;
    options.layout = LAYOUT_SWEEP;
    assert_int_equal(layout_count(&options, 16), LAYOUT_MAX);
    for (unsigned i = 0; i < LAYOUT_MAX; i++) {
        struct placement p = layout_at(&options, i);
        assert_true((p.code != 0) + (p.stack != 0) + (p.data != 0) <= 1);
        seen[i / LAYOUT_OFFSETS] |= 1ull << (p.code + p.stack / 64 + p.data / 8);
    }
    for (unsigned part = 0; part < LAYOUT_PARTS; part++)
        assert_true(seen[part] == UINT64_MAX);
    options.layout = LAYOUT_FIXED;
    struct placement p = layout_at(&options, 0), none = {0};
    assert_memory_equal(&p, &none, sizeof p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(blocks_come_there_and_back, start),
        cmocka_unit_test_setup(starts_are_dithered, start),
        cmocka_unit_test_setup(doubled_bodies_give_what_was_planted, start),
        cmocka_unit_test_setup(the_ruler_cancels_drift, start),
        cmocka_unit_test_setup(what_cannot_be_doubled_is_less_the_empty_window, start),
        cmocka_unit_test_setup(warm_up_ends_when_blocks_are_alike, start),
        cmocka_unit_test_setup(warm_up_ends_within_noise, start),
        cmocka_unit_test_setup(an_interrupt_does_not_end_warm_up, start),
        cmocka_unit_test_setup(warm_up_is_bounded, start),
        cmocka_unit_test_setup(disturbed_windows_are_set_aside, start),
        cmocka_unit_test_setup(failed_operations_are_omitted_and_counted, start),
        cmocka_unit_test_setup(a_block_with_an_nmi_is_left_out, start),
        cmocka_unit_test_setup(the_headline_is_the_same_twice, start),
        cmocka_unit_test_setup(caches_are_cleared_before_each_window, start),
        cmocka_unit_test_setup(parts_share_the_samples, start),
        cmocka_unit_test_setup(what_cannot_be_placed_fails_the_row, start),
        cmocka_unit_test_setup(work_that_is_gone_fails_the_row, start),
        cmocka_unit_test_setup(an_untrue_figure_fails_the_row, start),
        cmocka_unit_test_setup(shared_blocks_are_taken_again, start),
        cmocka_unit_test_setup(a_reading_stands_for_a_run_of_blocks, start),
        cmocka_unit_test_setup(a_core_that_is_never_alone_is_not_judged, start),
        cmocka_unit_test_setup(the_interval_holds_both_states, start),
        cmocka_unit_test_setup(an_older_best_is_judged_again, start),
        cmocka_unit_test_setup(the_work_is_checked, start),
        cmocka_unit_test_setup(a_fault_fails_the_row_and_says_where, start),
        cmocka_unit_test_setup(the_deadline_fails_the_row, start),
        cmocka_unit_test_setup(a_person_stops_more_than_the_row, start),
        cmocka_unit_test_setup(rounds_are_parts_of_one_row, start),
        cmocka_unit_test_setup(rounds_widen_the_interval, start),
        cmocka_unit_test_setup(fixed_layout_has_a_part_in_each_round, start),
        cmocka_unit_test_setup(a_row_that_is_stopped_has_its_whole_rounds, start),
        cmocka_unit_test_setup(a_fault_in_a_later_round_ends_the_row, start),
        cmocka_unit_test_setup(what_is_around_the_windows_is_guarded, start),
        cmocka_unit_test_setup(short_rounds_have_one_deadline, start),
        cmocka_unit_test_setup(memory_is_bounded, start),
        cmocka_unit_test_setup(exact_figures_need_one_round, start),
        cmocka_unit_test_setup(each_method_finds_what_was_planted, start),
        cmocka_unit_test_setup(kbest_comes_there_and_back, start),
        cmocka_unit_test_setup(kbest_that_agrees_at_once_comes_back, start),
        cmocka_unit_test_setup(timer_interrupts_are_taken_off, start),
        cmocka_unit_test_setup(a_long_window_is_compensated_towards_the_truth, start),
        cmocka_unit_test_setup(compensation_says_why_not, start),
        cmocka_unit_test_setup(a_drift_does_not_fall_into_the_difference, start),
        cmocka_unit_test_setup(a_negative_difference_says_so, start),
        cmocka_unit_test_setup(checks_are_made_by_each_method, start),
        cmocka_unit_test_setup(disturbed_windows_are_counted_by_each_method, start),
        cmocka_unit_test_setup(the_seed_draws_the_placements, start),
        cmocka_unit_test_setup(a_sweep_goes_through_every_offset, start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
