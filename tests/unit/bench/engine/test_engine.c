/* The engine itself: blocks, warm-up, doubled bodies. */
#include "tests/unit/bench/made_engine.h"

/* What a row with this number of placements, all at one place, gathers in one round. */
static void take_at(const struct placed *at, unsigned placements)
{
    const size_t windows = engine.facts.samples, blocks = windows / ENGINE_BLOCK;
    uint64_t *const scratch = memory + sampler_need(windows, blocks);

    assert_true(sampler_need(windows, blocks) + row_figure_part_need(blocks) <=
                sizeof memory / sizeof *memory);
    assert_true(gathered_need(&options, engine.facts.samples, 1) <= sizeof store / sizeof *store);
    gathered_init(gathered, &engine);
    sampler_init(&sampler, &engine, windows, blocks, gathered);
    engine.sampler = &sampler;
    for (unsigned i = 0; i < placements; i++) {
        const struct part_place part = {i, 0, windows / placements, blocks / placements};
        sampler_take(&(struct sampling){&engine, &bench, at, part, false});
        sampler_judge(&sampler, &engine);
        row_figure_part(&sampler, &bench, &part, CYCLES_RULER, gathered, scratch);
    }
}

static void take(unsigned placements)
{
    take_at(&placed, placements);
}

static struct row_figure row_figure_now(unsigned placements)
{
    static double theta[LAYOUT_MAX], round;
    const struct row_figure_means means = {theta, &round, placements, 1};

    return row_figure(gathered, &bench, engine.facts.step, CYCLES_RULER, &means, memory);
}

static struct row_figure figure(unsigned placements)
{
    take(placements);
    return row_figure_now(placements);
}

BEFORE_EACH(start);

TEST(blocks_are_taken_forward_and_backward)
{
    static const enum window_kind there[] = {KIND_EMPTY, KIND_RULER, KIND_RULER2, KIND_BODY,
                                             KIND_BODY2};
    const size_t kinds = sizeof there / sizeof there[0];

    take(1);
    const struct call *c = plant.call + 3; /* after the three fenced reads */
    for (size_t block = 0; block < 256 / ENGINE_BLOCK; block++)
        for (size_t k = 0; k < kinds; k++)
            for (size_t i = 0; i < ENGINE_BLOCK; i++, c++) {
                enum window_kind due = there[block % 2 ? kinds - 1 - k : k];
                assert_int_equal(c->kind, due);
                assert_int_equal(c->iterations, due == KIND_BODY2 ? 2 * OPS : OPS);
                assert_int_equal(c->stack, WINDOW_STACK + 160);
            }
    assert_int_equal(c - plant.call, plant.calls);
}

/* docs/window.md "The step": delays below one step, each about as often, and the same for every
 * kind. */
TEST(starts_are_dithered)
{
    size_t often[37] = {0}, seen[KINDS] = {0};

    take(1);
    for (const struct call *c = plant.call + 3; c < plant.call + plant.calls; c++)
        assert_int_equal(c->delay, dither(&engine, seen[c->kind]++));
    for (uint64_t i = 0; i < 3700; i++)
        often[dither(&engine, i)]++;
    for (unsigned delay = 0; delay < 37; delay++)
        assert_in_range(often[delay], 97, 103);
}

TEST(doubled_bodies_give_what_was_planted)
{
    struct row_figure h = figure(4);

    assert_true(h.known && h.doubled);
    assert_true(fabs(h.cycles.theta - 3.25) < 1e-9);
    assert_true(fabs(h.ticks - 3.25 * 0.5) < 1e-9);
    assert_int_equal(h.modes.count, 1);
    assert_true(fabs(gathered_location(gathered, KIND_EMPTY) - 100) < 1e-9);
}

/* The core's clock falls by 20% meanwhile: ticks drift, cycles do not. */
TEST(the_ruler_cancels_drift)
{
    plant.drift = 0.2 / (5 * 256);
    struct row_figure h = figure(1);
    assert_true(fabs(h.cycles.theta / 3.25 - 1) < 5e-4);
    assert_true(h.ticks / (3.25 * 0.5) > 1.05);
}

TEST(a_body_that_is_not_doubled_has_the_empty_window_subtracted)
{
    struct placed single = placed;

    single.kind[KIND_BODY2].fn = NULL;
    take_at(&single, 1);
    struct row_figure h = row_figure_now(1);
    assert_true(h.known && !h.doubled);
    assert_true(fabs(h.cycles.theta - 3.25) < 1e-9);
}

static double settles(enum window_kind k, size_t i)
{
    size_t block = i / ENGINE_BLOCK;

    return k == KIND_BODY && block < 5 ? (double)(5 - block) * 40 : 0;
}

TEST(warm_up_ends_when_blocks_are_alike)
{
    plant.extra = settles;
    options.warmup = 50;
    struct row_figure h = figure(1);
    assert_int_equal(sampler.span.warmup_blocks, 7); /* the sixth is settled, the seventh alike */
    assert_true(sampler.span.steady);
    assert_true(fabs(h.cycles.theta - 3.25) < 1e-9);
}

/* Two steps and more from window to window, as with a small TSC step: noise is not a trend. */
static double noise(enum window_kind k, size_t i)
{
    return k == KIND_BODY ? (double)(i * 7919 % 13) * 5 : 0;
}

TEST(warm_up_ends_within_noise)
{
    options.warmup = 50;
    plant.extra = noise;
    take(1);
    assert_true(sampler.span.steady && sampler.span.warmup_blocks <= 4);
}

/* An interrupt in a warm-up block neither ends the warm-up nor prolongs it. */
static double settles_and_stumbles(enum window_kind k, size_t i)
{
    return settles(k, i) + (k == KIND_BODY && i % 160 == 20 ? 100000 : 0);
}

TEST(an_interrupt_does_not_end_warm_up)
{
    options.warmup = 50;
    plant.extra = settles_and_stumbles;
    take(1);
    assert_true(sampler.span.steady && sampler.span.warmup_blocks >= 6);
}

static double never_settles(enum window_kind k, size_t i)
{
    return k == KIND_BODY ? (double)(i / ENGINE_BLOCK) * 40 : 0;
}

TEST(warm_up_is_bounded)
{
    plant.extra = never_settles;
    options.warmup = 9;
    take(1);
    assert_int_equal(sampler.span.warmup_blocks, 9);
    assert_false(sampler.span.steady);
}

TEST(disturbed_windows_are_set_aside)
{
    plant.extra = now_and_then;
    struct row_figure h = figure(1);
    assert_int_equal(gathered->row.taken.disturbed, 4);
    struct statistics all = histogram_stats(&gathered->body);
    assert_int_equal(all.n, 256);
    assert_true(all.max > 100000);
    assert_true(fabs(h.cycles.theta - 3.25) < 1e-9);
}

static bool every_fourth(size_t i)
{
    return i % 4 == 1;
}

TEST(failed_operations_are_omitted_and_counted)
{
    bench.window.form = FORM_FUNCTION;
    plant.fails = every_fourth;
    struct row_figure h = figure(1);
    bench.window.form = FORM_STRAIGHT;
    assert_int_equal(gathered->row.taken.errors, 64);
    assert_int_equal(histogram_stats(&gathered->body).n, 192);
    assert_true(fabs(h.cycles.theta - 3.25) < 1e-9);
}

static double block_of_the_nmi(enum window_kind k, size_t i)
{
    return k == KIND_BODY && i / ENGINE_BLOCK == 2 ? 7 : 0; /* too small to be noticed alone */
}

TEST(a_block_with_an_nmi_is_left_out)
{
    const size_t round = 5 * ENGINE_BLOCK;

    plant.extra = block_of_the_nmi;
    plant.nmi_at = 3 + 2 * round + 3 * ENGINE_BLOCK + 5; /* in the body's third block */
    struct row_figure h = figure(1);
    assert_int_equal(gathered->row.taken.disturbed, ENGINE_BLOCK);
    assert_true(fabs(h.cycles.theta - 3.25) < 1e-9);
}

/* A block without a figure is excluded each time, not once. */
TEST(computing_the_figure_twice_gives_the_same)
{
    const size_t round = 5 * ENGINE_BLOCK;

    plant.drift = 1e-5;
    plant.nmi_at = 3 + 2 * round + 3 * ENGINE_BLOCK + 5;
    struct row_figure first = figure(2), again = row_figure_now(2);
    assert_int_equal(gathered->row.taken.disturbed, ENGINE_BLOCK);
    assert_true(first.cycles.theta == again.cycles.theta && first.se == again.se);
    assert_true(first.ticks == again.ticks && first.cycles.mean == again.cycles.mean);
    assert_true(first.cycles.lo == again.cycles.lo && first.cycles.hi == again.cycles.hi);
    assert_int_equal(first.modes.mode[0].n, again.modes.mode[0].n);
}

TEST(caches_are_cleared_before_each_window)
{
    take(1);
    assert_int_equal(plant.cooled, 0);
    options.caches = CACHES_CLEAR;
    plant.calls = 0;
    take(1);
    assert_int_equal(plant.cooled, plant.calls);
}

TEST(parts_share_the_samples)
{
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
