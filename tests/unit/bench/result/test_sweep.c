#include "bench/result/sweep.h"

#include "lib/stats/mathx.h"
#include "tests/unit/cmocka_unit.h"

static double theta[LAYOUT_OFFSETS];

static void offsets_cost(double cycles)
{
    for (unsigned i = 0; i < LAYOUT_OFFSETS; i++)
        theta[i] = cycles;
}

TEST(the_offsets_of_least_and_greatest_cost_are_found)
{
    offsets_cost(2);
    theta[5] = 1;
    theta[63] = 4;
    struct sweep w = sweep_of(theta);
    assert_int_equal(w.known, LAYOUT_OFFSETS);
    assert_true(w.min == 1 && w.best == 5);
    assert_true(w.max == 4 && w.worst == 63);
    assert_true(w.median == 2);
}

TEST(an_offset_without_a_figure_is_left_out)
{
    offsets_cost(2);
    theta[0] = UNKNOWN; /* the first one: nothing compares with it */
    theta[20] = UNKNOWN;
    theta[7] = 1;
    theta[8] = 3;
    struct sweep w = sweep_of(theta);
    assert_int_equal(w.known, LAYOUT_OFFSETS - 2);
    assert_true(w.min == 1 && w.best == 7);
    assert_true(w.max == 3 && w.worst == 8);
    assert_true(w.median == 2);
}

TEST(without_any_figure_the_result_is_not_known)
{
    offsets_cost(UNKNOWN);
    struct sweep w = sweep_of(theta);
    assert_int_equal(w.known, 0);
    assert_false(is_known(w.min) || is_known(w.median) || is_known(w.max));
}
