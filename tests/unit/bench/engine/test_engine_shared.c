/* Rows on a core that is shared: blocks are repeated, and judged by the readings around them. */
#include "tests/unit/bench/made_engine.h"

/* A neighbour runs in one of three stretches of 97 windows. */
static bool a_third(void)
{
    return plant.calls / 97 % 3 == 1;
}

static double slowed(enum window_kind k, size_t i)
{
    (void)i;
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

static void shared_blocks_are_repeated(void **state)
{
    struct bench b = bench;

    (void)state;
    b.truth = three;
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
static void a_reading_counts_for_a_run_of_blocks(void **state)
{
    (void)state;
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

static void a_core_that_is_never_exclusive_is_not_judged(void **state)
{
    struct bench b = bench;

    (void)state;
    b.truth = three;
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

static void the_interval_of_a_shared_row_covers_both_states(void **state)
{
    (void)state;
    share(mostly, 0);
    struct row row = whole_row(bench);
    const struct estimate *c = &row.figure.cycles;
    assert_true(row.taken.shared);
    assert_true(c->lo <= 3 && c->hi > 3.5);
}

static void an_older_best_is_judged_again(void **state)
{
    struct row row;

    (void)state;
    assert_false(whole_row(bench).taken.shared);
    engine_begin(&engine, &bench, gathered);
    for (unsigned i = 0; i < engine.facts.rounds; i++)
        engine_round(&engine, gathered, i);
    fake_witness.limit = 0.1; /* a better one was found meanwhile: 0.125 is above it */
    engine_end(&engine, gathered, &row);
    assert_true(row.taken.shared && row.figure.known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(shared_blocks_are_repeated, start),
        cmocka_unit_test_setup(a_reading_counts_for_a_run_of_blocks, start),
        cmocka_unit_test_setup(a_core_that_is_never_exclusive_is_not_judged, start),
        cmocka_unit_test_setup(the_interval_of_a_shared_row_covers_both_states, start),
        cmocka_unit_test_setup(an_older_best_is_judged_again, start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
