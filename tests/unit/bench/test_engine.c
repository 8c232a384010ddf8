/* The engine itself: blocks, warm-up, doubled bodies, whole rows, a shared core. */
#include "tests/unit/made_engine.h"

/* What a row with this number of placements, all at one place, gathers in one round. */
static void take_at(const struct placed *at, unsigned placements)
{
    const size_t windows = engine.facts.samples, blocks = windows / ENGINE_BLOCK;
    uint64_t *const scratch = memory + sampler_need(windows, blocks);

    assert_true(sampler_need(windows, blocks) + headline_part_need(blocks) <=
                sizeof memory / sizeof *memory);
    assert_true(gathered_need(&options, engine.facts.samples, 1) <= sizeof store / sizeof *store);
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

    return headline(gathered, &bench, engine.facts.step, CYCLES_RULER, &means, memory);
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
    const struct call *c = plant.call + 3; /* after the three fenced reads */
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

/* docs/method.md "The step": delays below one step, each about as often, and the same for every
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

/* Two steps and more from window to window, as with a small TSC step: noise is not a trend. */
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

/* An interrupt in a warm-up block neither ends the warm-up nor prolongs it. */
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
    return k == KIND_BODY && i / ENGINE_BLOCK == 2 ? 7 : 0; /* too small to be noticed alone */
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

/* A block without a figure is excluded each time, not once. */
static void the_headline_is_the_same_twice(void **state)
{
    const size_t round = 5 * ENGINE_BLOCK;

    (void)state;
    plant.drift = 1e-5;
    plant.nmi_at = 3 + 2 * round + 3 * ENGINE_BLOCK + 5;
    struct headline first = figure(2), again = headline_now(2);
    assert_int_equal(gathered->row.disturbed, ENGINE_BLOCK);
    assert_true(first.cycles.theta == again.cycles.theta && first.se == again.se);
    assert_true(first.ticks == again.ticks && first.cycles.mean == again.cycles.mean);
    assert_true(first.cycles.lo == again.cycles.lo && first.cycles.hi == again.cycles.hi);
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
                /* Parts of a round are adjacent, and so are those of a placement. */
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

static uint64_t done;
static const char *remembers(const struct object *o, uint64_t operations)
{
    (void)o;
    done += operations;
    return NULL;
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

static bool at_all_times(void)
{
    return true;
}

static void work_that_is_gone_fails_the_row(void **state)
{
    struct bench b = bench;

    (void)state;
    b.least_instructions = 2;
    plant.instructions = 2;
    plant.operation = 0; /* however fast it is */
    struct row row = whole_row(b);
    assert_int_equal(row.status, ROW_OK);
    assert_int_equal(row.work, WORK_JUDGED);
    plant.operation = 3.25; /* however slow */
    plant.instructions = 1.99;
    row = whole_row(b);
    assert_int_equal(row.status, ROW_WRONG);
    assert_non_null(strstr(row.why, "the work is gone"));
    fake_own.is_shared = at_all_times; /* and whatever neighbour there is */
    assert_int_equal(whole_row(b).status, ROW_WRONG);
}

/* Built-in rows that declare nothing must execute one instruction if they have a check; an
 * operation of other rows may be a part of one. */
static void a_check_asks_for_an_instruction(void **state)
{
    static const struct bench_code object;
    struct bench b = bench;

    (void)state;
    b.check = remembers;
    plant.instructions = 1;
    assert_int_equal(whole_row(b).status, ROW_OK);
    plant.instructions = 0.9;
    struct row row = whole_row(b);
    assert_int_equal(row.status, ROW_WRONG);
    assert_non_null(strstr(row.why, "the row's least_instructions is 1"));
    b.least_instructions = 0.5;
    assert_int_equal(whole_row(b).status, ROW_OK);
    b.least_instructions = 0;
    b.code = &object;
    assert_true(bench_least_instructions(&b) == 0);
}

/* What a row does not declare is one instruction in total. */
static void a_body_like_its_subtrahend_fails_the_row(void **state)
{
    struct bench b = bench;

    (void)state;
    b.grain = 10;
    plant.instructions = 0.1; /* ten operations at once */
    assert_int_equal(whole_row(b).status, ROW_OK);
    plant.instructions = 0;
    struct row row = whole_row(b);
    assert_int_equal(row.status, ROW_WRONG);
    assert_non_null(strstr(row.why, "the work is gone"));
    b.may_vanish = true;
    row = whole_row(b);
    assert_int_equal(row.status, ROW_OK);
    assert_int_equal(row.work, WORK_NOTHING_TO_JUDGE);
}

static void work_that_is_not_counted_is_not_judged(void **state)
{
    struct platform cannot = platform;
    struct row row;

    (void)state;
    plant.instructions = 0;
    options.instructions = INSTRUCTIONS_OFF;
    row = whole_row(bench);
    assert_int_equal(row.status, ROW_OK);
    assert_int_equal(row.work, WORK_NOT_JUDGED);
    options.instructions = INSTRUCTIONS_AUTO;
    cannot.step = NULL;
    engine.p = &cannot;
    row = whole_row(bench);
    assert_int_equal(row.status, ROW_OK);
    assert_int_equal(row.work, WORK_NOT_JUDGED);
    assert_true(row.stepped.why_not[0] != 0);
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
    plant.operation = 3.05; /* 1.7%: more than the limit, and than the interval */
    row = whole_row(b);
    assert_int_equal(row.status, ROW_WRONG);
    assert_non_null(strstr(row.why, "not the documented figure"));
    b.truth = NULL;
    assert_int_equal(whole_row(b).status, ROW_OK);
}

/* Half of the windows take twice as long: the documented latency is inside such a wide interval. */
static double every_other_placement(enum kind k, size_t i)
{
    return k >= KIND_BODY && i / 64 % 2 ? cycles_of(k) / 2 : 0;
}

static void an_interval_that_tells_nothing_is_remarked(void **state)
{
    struct bench b = bench;

    (void)state;
    b.truth = three;
    plant.operation = 3;
    assert_false(whole_row(b).truth_vague);
    plant.extra = every_other_placement;
    struct row row = whole_row(b);
    assert_true(row.truth_vague);
    assert_int_equal(row.status, ROW_OK);
    b.truth = NULL;
    assert_false(whole_row(b).truth_vague);
}

static bool is_vague_at(double below, double above, bool documented)
{
    struct engine e = {.p = &platform, .facts = {.execution = EXEC_SILICON, .o = &options}};
    struct bench b = bench;
    struct row row = {.bench = &b};

    b.truth = documented ? three : NULL;
    row.headline.known = true;
    row.headline.cycles = (struct estimate){
        .theta = 3, .lo = 3 - below, .hi = 3 + above, .by = ESTIMATE_RANKS, .level = 0.98};
    check_figure(&e, &b, &row);
    return row.truth_vague;
}

/* A quarter of a cycle, on the longer side: doubled it is half the distance to the next latency. */
static void a_quarter_of_a_cycle_is_too_wide(void **state)
{
    (void)state;
    assert_false(is_vague_at(0.249, 0.249, true));
    assert_true(is_vague_at(0.251, 0.01, true));
    assert_true(is_vague_at(0.01, 0.251, true));
    assert_true(is_vague_at(0.25, 0.25, true));
    assert_false(is_vague_at(0.251, 0.251, false));
}

/* --- a core that is shared -------------------------------------------------------------------- */

/* A neighbour runs in one of three stretches of 97 windows. */
static bool a_third(void)
{
    return plant.calls / 97 % 3 == 1;
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
    plant.operation = 3;
    plant.extra = slowed;
    fake_own.is_shared = a_third;
    options.retry_budget = 20;
    engine.facts.samples = 1024;
    struct row row = whole_row(b);
    assert_int_equal(row.status, ROW_OK);
    assert_false(row.shared);
    assert_true(fabs(row.headline.cycles.theta - 3) < 1e-9);
    assert_true(row.shared_blocks > row.blocks / 5 && row.shared_blocks < row.blocks * 2 / 3);
    assert_int_equal(row.blocks, fake_own.blocks);
    assert_int_equal(row.shared_blocks, fake_own.shared);
    assert_int_equal(row.blocks, 5 * engine.facts.samples / ENGINE_BLOCK + row.shared_blocks);
    /* They are in the histogram. */
    assert_true(row.ticks.n > engine.facts.samples && row.ticks.max > row.ticks.min);
    options.retry_budget = 0;
    row = whole_row(b);
    assert_int_equal(row.blocks, 5 * engine.facts.samples / ENGINE_BLOCK);
    assert_true(row.ticks.n == engine.facts.samples && row.shared_blocks > 0);
    assert_true(fabs(row.headline.cycles.theta - 3) < 1e-9 || row.shared);
}

/* Blocks between two readings are judged as one: shared or not, and repeated together. */
static void a_reading_stands_for_a_run_of_blocks(void **state)
{
    (void)state;
    plant.operation = 3;
    plant.extra = slowed;
    fake_own.is_shared = a_third;
    options.retry_budget = 20;
    engine.facts.samples = 1024;
    struct row single = whole_row(bench);
    unsigned reads = fake_own.reads;
    fake_own.wait = 3;
    fake_own.reads = 0;
    struct row row = whole_row(bench);
    assert_true(fake_own.reads < reads / 2 && single.blocks > 0);
    assert_true(fabs(row.headline.cycles.theta - 3) < 1e-9);
    assert_int_equal(row.blocks, 5 * engine.facts.samples / ENGINE_BLOCK + row.shared_blocks);
    options.retry_budget = 2;
    fake_own.is_shared = at_all_times;
    row = whole_row(bench);
    assert_int_equal(row.blocks, 3 * 5 * engine.facts.samples / ENGINE_BLOCK);
}

static void a_core_that_is_never_alone_is_not_judged(void **state)
{
    struct bench b = bench;

    (void)state;
    b.truth = three;
    plant.operation = 3.5;
    plant.extra = slowed;
    fake_own.is_shared = at_all_times;
    options.retry_budget = 3;
    struct row row = whole_row(b);
    assert_int_equal(row.status, ROW_OK);
    assert_true(row.shared && row.shared_blocks == row.blocks);
    assert_int_equal(row.blocks,
                     4 * 5 * engine.facts.samples / ENGINE_BLOCK); /* the budget is spent */
    assert_true(row.headline.known && row.headline.cycles.theta > 3.5);
    fake_own.is_shared = NULL; /* the same figure of a core alone */
    plant.extra = NULL;
    assert_int_equal(whole_row(b).status, ROW_WRONG);
}

/* Few exclusive blocks: they give the figure, and the interval covers the others. */
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
    options.retry_budget = 0;
    engine.facts.samples = 1024;
    struct row row = whole_row(bench);
    const struct estimate *c = &row.headline.cycles;
    assert_true(row.shared);
    assert_true(c->lo <= 3 && c->hi > 3.5);
}

static void an_older_best_is_judged_again(void **state)
{
    struct row row;

    (void)state;
    assert_false(whole_row(bench).shared);
    engine_begin(&engine, &bench, gathered);
    for (unsigned i = 0; i < engine.facts.rounds; i++)
        engine_round(&engine, gathered, i);
    fake_own.limit = 0.1; /* a better one was found meanwhile: 0.125 is above it */
    engine_end(&engine, gathered, &row);
    assert_true(row.shared && row.headline.known);
}

static void the_work_is_checked(void **state)
{
    struct bench b = bench;

    (void)state;
    options.instructions = INSTRUCTIONS_OFF; /* stepped windows are checked, too */
    b.check = remembers;
    done = 0;
    assert_int_equal(whole_row(b).status, ROW_OK);
    assert_int_equal(done, OPS * (plant.of_kind[KIND_BODY] + 2 * plant.of_kind[KIND_BODY2]));
    b.check = finds_fault;
    struct row row = whole_row(b);
    assert_int_equal(row.status, ROW_WRONG);
    assert_string_equal(row.why, "planted");
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
        cmocka_unit_test_setup(a_check_asks_for_an_instruction, start),
        cmocka_unit_test_setup(a_body_like_its_subtrahend_fails_the_row, start),
        cmocka_unit_test_setup(work_that_is_not_counted_is_not_judged, start),
        cmocka_unit_test_setup(an_untrue_figure_fails_the_row, start),
        cmocka_unit_test_setup(a_quarter_of_a_cycle_is_too_wide, start),
        cmocka_unit_test_setup(an_interval_that_tells_nothing_is_remarked, start),
        cmocka_unit_test_setup(shared_blocks_are_taken_again, start),
        cmocka_unit_test_setup(a_reading_stands_for_a_run_of_blocks, start),
        cmocka_unit_test_setup(a_core_that_is_never_alone_is_not_judged, start),
        cmocka_unit_test_setup(the_interval_holds_both_states, start),
        cmocka_unit_test_setup(an_older_best_is_judged_again, start),
        cmocka_unit_test_setup(the_work_is_checked, start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
