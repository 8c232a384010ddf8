/* The states of a line, and how much other memory moves it from one cache to the next. */
#include "tests/unit/cmocka_unit.h"
#include "lib/curve/cache_line.h"

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
