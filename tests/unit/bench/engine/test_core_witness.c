/*
 * The witness's code, and the sampler that uses it, on a core whose clock is simulated: each window
 * takes its time there, and a sibling thread that comes and goes slows what is sensitive to it. So
 * for each block it is known whether the core was exclusive.
 */
#include "tests/unit/close.h"
#include "tests/unit/lib/stats/gauss.h"
#include "tests/unit/text.h"
#include "bench/engine/engine.h"
#include "bench/engine/witness.h"

/* --- the core --------------------------------------------------------------------------------- */

#include "tests/unit/linked_tsc.h" /* the TSC is this core's */

enum { WINDOW = 60 /* core cycles of a window alone */, OPS = 200, BLOCKS_MOST = 64 };
#define OPERATION 3.25 /* core cycles */

static struct {
    struct rng rng;
    double width, step, ticks_per_cycle; /* NOPs a cycle; the TSC's step in ticks */
    double share, span;                  /* of time that the sibling runs; its mean span, cycles */
    double now, until, slow;             /* cycles; what the sibling makes of a cycle */
    bool busy;
} core;

static void sibling(void)
{
    while (core.share > 0 && core.now >= core.until) {
        double ratio = core.busy ? (1 - core.share) / core.share : 1;
        core.busy = !core.busy;
        core.until += -mathx_log(1 - rng_unit(&core.rng)) * core.span * ratio;
        core.slow = 1.35 + 0.9 * rng_unit(&core.rng);
    }
}

/* For a stretch: the sibling ran in none of it, in all of it. */
struct lone {
    bool alone, sibling;
};

static void pass(double cycles, bool sensitive, struct lone *seen)
{
    double jitter = 0.1 * (rng_unit(&core.rng) - 0.5); /* its part varies */

    while (cycles > 0) {
        sibling();
        double slow = core.busy && sensitive ? core.slow + jitter : 1, piece = cycles * slow;
        if (core.share > 0 && core.now + piece > core.until)
            piece = core.until - core.now;
        core.now += piece;
        cycles -= piece / slow;
        seen->alone = seen->alone && !core.busy;
        seen->sibling = seen->sibling && core.busy;
    }
}

uint64_t tsc_now(void)
{
    return (uint64_t)(mathx_floor(core.now * core.ticks_per_cycle / core.step) * core.step);
}

uint64_t tsc_now_rdtscp(void)
{
    return tsc_now();
}

uint64_t tsc_now_xfence(bool is_lfence)
{
    return tsc_now();
}

/* Returns a window's ticks. Between two windows some cycles pass that nothing depends on. */
static uint64_t window_ticks(double cycles, bool sensitive, struct lone *seen)
{
    pass(80 + 40 * rng_unit(&core.rng), false, seen);
    uint64_t from = tsc_now();
    pass(WINDOW + 2 * rng_unit(&core.rng), false, seen);
    pass(cycles, sensitive, seen);
    return tsc_now() - from;
}

/* --- readings, blocks ------------------------------------------------------------------------- */

/* The linker makes the sampler call __wrap_...(), which call the functions themselves. */
double __wrap_witness_read_before(struct engine *e);
double __real_witness_read_before(struct engine *e);
double __wrap_witness_read(struct engine *e);
double __real_witness_read(struct engine *e);
bool __wrap_witness_is_shared(const struct engine *e, double before, double after);
bool __real_witness_is_shared(const struct engine *e, double before, double after);

#define ADDS_OF_ITERATION 64 /* bench/engine/witness_windows.asm */

static struct lone reading, block[BLOCKS_MOST]; /* the last reading; the blocks after it */
static unsigned windows;                        /* since then */

static void in_reading(void)
{
    if (windows)
        reading = (struct lone){true, true};
    windows = 0;
}

uint32_t witness_nops(uint32_t iterations)
{
    in_reading();
    return (uint32_t)window_ticks(iterations * WITNESS_UNIT / core.width, true, &reading);
}

uint32_t witness_adds(uint32_t iterations)
{
    in_reading();
    return (uint32_t)window_ticks(iterations * ADDS_OF_ITERATION, false, &reading);
}

/* The judgement of blocks whose truth is known, as they were taken. */
static struct {
    unsigned alone, alarms, sibling, seen, all;
} judged;

static struct lone before;
static unsigned taken, judging; /* blocks between the last two readings; which is judged next */

double __wrap_witness_read_before(struct engine *e)
{
    double level = __real_witness_read_before(e);

    before = reading;
    windows = 0; /* those that warmed up are not a block's */
    return level;
}

double __wrap_witness_read(struct engine *e)
{
    taken = windows / ENGINE_BLOCK;
    judging = 0;
    return __real_witness_read(e);
}

/* As they are taken; later they are judged again, by the best that is known then. */
bool __wrap_witness_is_shared(const struct engine *e, double from, double to)
{
    bool shared = __real_witness_is_shared(e, from, to);

    if (judging == taken)
        return shared;
    struct lone of = block[judging++];
    judged.all++;
    if (of.alone && before.alone && reading.alone) {
        judged.alone++;
        judged.alarms += shared;
    }
    if (of.sibling && before.sibling && reading.sibling) {
        judged.sibling++;
        judged.seen += shared;
    }
    return shared;
}

#include "bench/engine/interleave.h"
#include "tests/unit/bench/made_row.h"
#include "bench/output/show.h"

static struct window_result window(double cycles, bool sensitive)
{
    unsigned at = windows++ / ENGINE_BLOCK;

    assert_true(at < BLOCKS_MOST);
    if ((windows - 1) % ENGINE_BLOCK == 0)
        block[at] = (struct lone){true, true};
    return (struct window_result){.ticks = window_ticks(cycles, sensitive, &block[at])};
}

#define KIND(name_, cycles_, sensitive_)                                                           \
    static struct window_result name_(struct object *o, const void *f, uint64_t iterations,        \
                                      uint64_t delay, uint64_t stack)                              \
    {                                                                                              \
        (void)o, (void)f, (void)iterations, (void)delay, (void)stack;                              \
        return window(cycles_, sensitive_);                                                        \
    }
KIND(empty, 0, false)
KIND(ruler, RULER_ADDS, false)
KIND(ruler2, 2 * RULER_ADDS, false)
KIND(body, OPS *OPERATION, true)
KIND(body2, 2 * OPS * OPERATION, true)

/* --- a row ------------------------------------------------------------------------------------ */

static const struct placed placed = {.kind = {[KIND_EMPTY] = {.fn = empty, .iterations = OPS},
                                              [KIND_RULER] = {.fn = ruler, .iterations = OPS},
                                              [KIND_RULER2] = {.fn = ruler2, .iterations = OPS},
                                              [KIND_BODY] = {.fn = body, .iterations = OPS},
                                              [KIND_BODY2] = {.fn = body2, .iterations = 2 * OPS}}};

void place_cool(const struct placed *p)
{
}

static const struct platform platform = {.events.nmis = nmis,
                                         .row.begin = row_begin,
                                         .row.end = row_end,
                                         .guarded = guarded,
                                         .cpu = &cpu};
enum { KINDS_TAKEN = 5, SAMPLES = 4096 };

/* A core of that width whose TSC moves in such steps; the sibling runs for that share of the
 * time. */
static void a_core(double width, double step, double share, uint32_t retry_budget)
{
    memset(&core, 0, sizeof core);
    core.rng.state = 1 + (uint64_t)(width * 1000 + step * 10 + share * 100);
    core.width = width;
    reading = (struct lone){true, true};
    windows = 0;
    core.step = step;
    core.ticks_per_cycle = step > 2 ? 0.63 : 0.95;
    core.share = share;
    core.span = 1.5e6; /* half a millisecond */
    options_default(&options);
    options.warmup = 0;
    options.retry_budget = retry_budget;
    engine = (struct engine){.p = &platform,
                             .facts.o = &options,
                             .facts.recipe = RECIPE_LFENCE,
                             .facts.execution = EXEC_SILICON,
                             .facts.samples = SAMPLES,
                             .facts.rounds = 4,
                             .facts.step = step,
                             .step_cycles = (uint64_t)(step / core.ticks_per_cycle) + 1,
                             .facts.ticks_per_cycle = core.ticks_per_cycle,
                             .facts.tsc_hz = 2e9,
                             .memory = memory};
    witness_open(&engine);
    assert_null(engine.facts.witness.why_not);
    memset(&judged, 0, sizeof judged);
}

static struct row take(void)
{
    return whole_row(bench);
}

/* Returns the share that the report's first lines state; 0: exclusive. */
static unsigned told(void)
{
    unsigned percent = 0;

    witness_show_head(&engine.facts, text_sink());
    if (sscanf(text, "witness   core 0 was shared for %u%% of the time", &percent) != 1)
        assert_non_null(strstr(text, "core 0 was not shared"));
    return percent;
}

static const double widths[] = {4, 6, 8}, steps[] = {2, 26, 40};
enum { ROWS = 3, NEEDED = KINDS_TAKEN * SAMPLES / ENGINE_BLOCK }; /* blocks of a row */

TEST(an_exclusive_core_has_no_alarms)
{
    for (unsigned w = 0; w < COUNT_OF(widths); w++)
        for (unsigned s = 0; s < COUNT_OF(steps); s++) {
            a_core(widths[w], steps[s], 0, 20);
            for (int rows = 0; rows < ROWS; rows++) {
                struct row row = take();
                assert_close(row.figure.cycles.theta, OPERATION, 0.005 * OPERATION);
                assert_true(!row.taken.shared);
            }
            assert_true(judged.alone == judged.all && judged.all >= ROWS * NEEDED);
            assert_true(judged.alarms <= judged.alone / 1000);
            assert_int_equal(told(), 0);
        }
}

static void a_neighbour(double width, double step, double share)
{
    unsigned blocks = 0, shared = 0;

    a_core(width, step, share, 20);
    for (int rows = 0; rows < ROWS; rows++) {
        struct row row = take();
        blocks += row.taken.blocks;
        shared += row.taken.shared_blocks;
        /* Shared blocks are repeated, and excluded. */
        assert_true(row.taken.blocks >= NEEDED && row.taken.blocks <= (1 + 20) * NEEDED);
        assert_true(!row.taken.shared);
        /* Except one that came and went between two readings. */
        assert_true(row.figure.cycles.lo <= OPERATION && row.figure.cycles.hi >= OPERATION);
        assert_close(row.figure.cycles.theta, OPERATION, 0.02 * OPERATION);
    }
    assert_true(judged.sibling > 100 && judged.seen >= 0.95 * judged.sibling);
    assert_true(shared >= judged.seen && blocks > ROWS * NEEDED);
    assert_int_equal(blocks, judged.all);
    assert_int_equal(engine.facts.witness.blocks, blocks);
    assert_int_equal(engine.facts.witness.shared, shared);
    assert_in_range(told(), 100.0 * judged.sibling / judged.all,
                    100.0 * (judged.all - judged.alone + judged.alarms) / judged.all + 1);
}

TEST(a_neighbour_is_seen_and_left_out)
{
    static const double shares[] = {0.2, 0.5, 0.8};

    for (unsigned w = 0; w < COUNT_OF(widths); w++)
        for (unsigned s = 0; s < COUNT_OF(steps); s++)
            for (unsigned i = 0; i < COUNT_OF(shares); i++)
                a_neighbour(widths[w], steps[s], shares[i]);
}

/* The neighbour has nearly all of the time: the rest is too little. */
TEST(the_budget_is_kept)
{
    for (uint32_t budget = 0; budget <= 3; budget++) {
        a_core(6, 2, 0.95, budget);
        struct row row = take();
        assert_true(row.taken.blocks >= NEEDED && row.taken.blocks <= (1 + budget) * NEEDED);
        assert_true(judged.seen >= 0.95 * judged.sibling && told() > 80);
        assert_true(row.taken.shared);
        const struct estimate *cycles = &row.figure.cycles;
        assert_true(cycles->lo <= OPERATION);
    }
}

/* A run of many rows has used up the two seconds: the following rows repeat for at most three times
 * as long as they take. */
TEST(the_repeats_of_all_rows_together_are_bounded)
{
    const uint64_t two_seconds = 2 * 2000000000ull;

    a_core(6, 2, 0.95, 1000);
    take();
    assert_true(engine.witness.taken > 0 && engine.witness.repeated > 5 * engine.witness.taken);
    engine.witness.repeated = two_seconds + 3 * engine.witness.taken;
    for (int rows = 0; rows < ROWS; rows++) {
        take();
        assert_true(engine.witness.repeated <=
                    two_seconds + 3 * engine.witness.taken + engine.witness.taken / 100);
    }
}

/* After two seconds blocks are repeated only while the core is exclusive now and then: at one in 40
 * readings or more, with this budget. */
TEST(repeats_that_are_in_vain_end)
{
    const uint64_t two_seconds = 2 * 2000000000ull;

    a_core(6, 2, 0.5, 20);
    engine.witness.repeated = two_seconds;
    engine.witness.taken = two_seconds;
    struct row row = take();
    assert_false(row.taken.shared);
    assert_true(row.taken.blocks > NEEDED * 5 / 4);
    a_core(6, 2, 0.999, 20);
    engine.witness.repeated = two_seconds;
    engine.witness.taken = two_seconds;
    take();
    row = take();
    assert_true(row.taken.shared);
    assert_in_range(row.taken.blocks, NEEDED, NEEDED * 9 / 8);
    core.share = 0.5;
    take();
    assert_false(take().taken.shared);
}

/* Windows of a probe, until this many ticks were spent on repeating shared blocks. */
static void a_search(double share, uint32_t budget, uint64_t most)
{
    enum { POINTS = 2 * INTERLEAVE_ROUND, NEEDED_BLOCKS = POINTS / ENGINE_BLOCK };
    const window_fn fn = body;
    struct interleaved kind;
    const bool searches = share > 0 && budget > 0;
    a_core(6, 2, share, budget);
    engine.witness.search_left = most;
    taken = judging = windows = 0;
    interleave(&engine, &fn, 1, POINTS, &kind);
    uint64_t again = engine.facts.witness.blocks - NEEDED_BLOCKS;
    uint64_t ticks = (uint64_t)(OPS * OPERATION * ENGINE_BLOCK * core.ticks_per_cycle);
    assert_true(engine.facts.witness.blocks >= NEEDED_BLOCKS && again <= most / ticks + 1);
    assert_int_equal(engine.facts.witness.gave_up, searches);
    assert_true((again > 0) == searches);
    witness_show_head(&engine.facts, text_sink());
    assert_true((strstr(text, "gave up") != NULL) == searches);
}

TEST(the_probe_gives_up_the_search_for_exclusive_time)
{
    a_search(0, 20, 1000000);
    a_search(0.95, 20, 1000000);
    a_search(0.95, 0, 1000000);
}
