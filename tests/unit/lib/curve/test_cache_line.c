#include "tests/unit/cmocka_unit.h"
#include "lib/curve/cache_line.h"
#include "lib/stats/mathx.h"

/* The states of a line, and how much other memory moves it from one cache to the next. */

#define KIB 1024u

static const struct cache cache[] = {
    {.level = 1, .type = CACHE_INSTRUCTION, .size = 64 * KIB},
    {.level = 1, .type = CACHE_DATA, .size = 32 * KIB},
    {.level = 2, .type = CACHE_UNIFIED, .size = 512 * KIB},
    {.level = 3, .type = CACHE_UNIFIED, .size = 8192 * KIB},
};

TEST(a_line_leaves_a_cache_by_twice_its_size)
{
    static const uint64_t want[LINE_STATES] = {
        [LINE_CLEAN_L2] = 64 * KIB,
        [LINE_DIRTY_L2] = 64 * KIB,
        [LINE_CLEAN_L3] = 1024 * KIB,
        [LINE_DIRTY_L3] = 1024 * KIB,
    };

    for (enum line_state s = 0; s < LINE_STATES; s++) {
        uint64_t bytes;
        assert_true(line_state_evicts(s, cache, 4, &bytes));
        assert_int_equal(bytes, want[s]);
        assert_non_null(line_state_names[s]);
    }
}

TEST(a_cache_that_is_not_listed_has_no_state)
{
    uint64_t bytes;

    assert_false(line_state_evicts(LINE_CLEAN_L3, cache, 3, &bytes));
    assert_false(line_state_evicts(LINE_DIRTY_L3, cache, 3, &bytes));
    assert_true(line_state_evicts(LINE_DIRTY_L2, cache, 3, &bytes));
    assert_false(line_state_evicts(LINE_CLEAN_L2, cache, 2, &bytes));
    assert_true(line_state_evicts(LINE_CLEAN_L1, cache, 0, &bytes)); /* every CPU has one */
    assert_true(line_state_evicts(LINE_ABSENT, cache, 0, &bytes));
}

TEST(only_dirty_states_are_written)
{
    for (enum line_state s = 0; s < LINE_STATES; s++)
        assert_int_equal(line_state_is_dirty(s), s == LINE_DIRTY_L1 || s == LINE_DIRTY_L2 ||
                                                     s == LINE_DIRTY_L3 || s == LINE_HELD_DIRTY);
}

/* Store forwarding: every offset of every pair of sizes, and what a time says of a load. */

/* Counts the bytes that a load has from the store, one by one. */
static unsigned common(unsigned store, unsigned load, int offset)
{
    unsigned n = 0;

    for (int at = offset; at < offset + (int)load; at++)
        n += at >= 0 && at < (int)store;
    return n;
}

TEST(every_offset_of_every_pair_is_a_cell)
{
    unsigned all = 0;

    for (unsigned store = 1; store <= FORWARD_MOST; store *= 2)
        for (unsigned load = 1; load <= FORWARD_MOST; load *= 2) {
            unsigned cells = forward_cells(store, load);
            assert_true(cells <= FORWARD_CELLS);
            all += cells;
            for (unsigned i = 0; i < cells; i++) {
                unsigned n = common(store, load, forward_offset(load, i));
                enum forward_how want = n == 0      ? FORWARD_APART
                                        : n == load ? FORWARD_INSIDE
                                                    : FORWARD_PARTIAL;
                assert_int_equal(forward_overlap(store, load, forward_offset(load, i)), want);
                assert_int_equal(n == 0, i == 0 || i == cells - 1); /* both neighbours, no more */
            }
        }
    assert_int_equal(all, FORWARD_ALL);
}

TEST(a_load_inside_is_forwarded_or_waits)
{
    /* A store of 8 and a load of 4, from -4 to 8; the upper half is not forwarded. */
    static const double time[] = {1, 18, 18, 19, 4, 6, 7, 8, 18.5, 18, 18, 17, 1};
    char how[FORWARD_CELLS + 1] = "";

    forward_judge(8, 4, time, UNKNOWN, how);
    assert_string_equal(how, "-pppffffnppp-");
}

TEST(one_byte_needs_another_load_to_compare)
{
    static const double time[] = {1, 4, 15, 1};
    char how[FORWARD_CELLS + 1] = "";

    forward_judge(2, 1, time, 16, how);
    assert_string_equal(how, "-fn-");
    forward_judge(2, 1, time, UNKNOWN, how);
    assert_string_equal(how, "-cc-");
}

TEST(a_row_without_a_figure_is_not_judged)
{
    double time[] = {1, 18, 4, UNKNOWN, 4, 18, 1};
    char how[FORWARD_CELLS + 1] = "";

    forward_judge(4, 2, time, UNKNOWN, how);
    assert_string_equal(how, "-pfcfp-");
    time[1] = time[5] = UNKNOWN;
    forward_judge(4, 2, time, UNKNOWN, how);
    assert_string_equal(how, "-pcccp-");
}

/* A load larger than the store gets at most a part of its bytes. */
TEST(a_load_larger_than_the_store_is_never_forwarded)
{
    static const double time[] = {1, 18, 18, 18, 1};
    char how[FORWARD_CELLS + 1] = "";

    forward_judge(1, 3, time, UNKNOWN, how);
    assert_string_equal(how, "-ppp-");
}
