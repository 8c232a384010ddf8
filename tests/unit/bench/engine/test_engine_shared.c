/* Rows on a core that is shared: blocks are repeated, and judged by the readings around them. */
#include "tests/unit/bench/made_engine.h"

/* A neighbour runs in one of three stretches of 97 windows. */
static bool a_third(void)
{
    return plant.calls / 97 % 3 == 1;
}

static double slowed(enum window_kind k, size_t i)
{
    return k >= KIND_BODY && fake_witness.is_shared() ? 400 * cycles_of(k) / 1000 : 0;
}

/* Rows of 3 cycles an operation, slowed while the core is shared. */
static void share(bool (*when)(void), uint32_t retry_budget)
{
    plant.operation = 3;
    plant.extra = slowed;
    fake_witness.is_shared = when;
    options.retry_budget = retry_budget;
    engine.facts.samples = 1024;
}

BEFORE_EACH(start);

TEST(shared_blocks_are_repeated)
{
    struct bench b = bench;

    b.proof.truth = three;
    share(a_third, 20);
    struct row row = whole_row(b);
    assert_int_equal(row.out.status, ROW_OK);
    assert_false(row.taken.shared);
    assert_true(fabs(row.figure.cycles.theta - 3) < 1e-9);
    assert_true(row.taken.shared_blocks > row.taken.blocks / 5 &&
                row.taken.shared_blocks < row.taken.blocks * 2 / 3);
    assert_int_equal(row.taken.blocks, fake_witness.blocks);
    assert_int_equal(row.taken.shared_blocks, fake_witness.shared);
    assert_int_equal(row.taken.blocks,
                     5 * engine.facts.samples / ENGINE_BLOCK + row.taken.shared_blocks);
    /* They are in the histogram. */
    assert_true(row.gross.ticks.n > engine.facts.samples &&
                row.gross.ticks.max > row.gross.ticks.min);
    options.retry_budget = 0;
    row = whole_row(b);
    assert_int_equal(row.taken.blocks, 5 * engine.facts.samples / ENGINE_BLOCK);
    assert_true(row.gross.ticks.n == engine.facts.samples && row.taken.shared_blocks > 0);
    assert_true(fabs(row.figure.cycles.theta - 3) < 1e-9 || row.taken.shared);
}

/* Blocks between two readings are judged as one: shared or not, and repeated together. */
TEST(a_reading_counts_for_a_run_of_blocks)
{
    share(a_third, 20);
    struct row single = whole_row(bench);
    unsigned reads = fake_witness.reads;
    fake_witness.wait = 3;
    fake_witness.reads = 0;
    struct row row = whole_row(bench);
    assert_true(fake_witness.reads < reads / 2 && single.taken.blocks > 0);
    assert_true(fabs(row.figure.cycles.theta - 3) < 1e-9);
    assert_int_equal(row.taken.blocks,
                     5 * engine.facts.samples / ENGINE_BLOCK + row.taken.shared_blocks);
    options.retry_budget = 2;
    fake_witness.is_shared = at_all_times;
    row = whole_row(bench);
    assert_int_equal(row.taken.blocks, 3 * 5 * engine.facts.samples / ENGINE_BLOCK);
}

TEST(a_core_that_is_never_exclusive_is_not_judged)
{
    struct bench b = bench;

    b.proof.truth = three;
    plant.operation = 3.5;
    plant.extra = slowed;
    fake_witness.is_shared = at_all_times;
    options.retry_budget = 3;
    struct row row = whole_row(b);
    assert_int_equal(row.out.status, ROW_OK);
    assert_true(row.taken.shared && row.taken.shared_blocks == row.taken.blocks);
    assert_int_equal(row.taken.blocks,
                     4 * 5 * engine.facts.samples / ENGINE_BLOCK); /* the budget is spent */
    assert_true(row.figure.known && row.figure.cycles.theta > 3.5);
    fake_witness.is_shared = NULL; /* the same figure of a core alone */
    plant.extra = NULL;
    assert_int_equal(whole_row(b).out.status, ROW_WRONG);
}

/* Few exclusive blocks: they give the figure, and the interval covers the others. */
static bool mostly(void)
{
    return plant.calls / 97 % 8 != 1;
}

TEST(the_interval_of_a_shared_row_covers_both_states)
{
    share(mostly, 0);
    struct row row = whole_row(bench);
    const struct estimate *c = &row.figure.cycles;
    assert_true(row.taken.shared);
    assert_true(c->lo <= 3 && c->hi > 3.5);
}

TEST(an_older_best_is_judged_again)
{
    struct row row;

    assert_false(whole_row(bench).taken.shared);
    engine_begin(&engine, &bench, gathered);
    for (unsigned i = 0; i < engine.facts.rounds; i++)
        engine_round(&engine, gathered, i);
    fake_witness.limit = 0.1; /* a better one was found meanwhile: 0.125 is above it */
    engine_end(&engine, gathered, &row);
    assert_true(row.taken.shared && row.figure.known);
}
