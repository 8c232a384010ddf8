/* Measurements at a few placements become one figure, which is settled only if they agree. */
#include "tests/unit/cmocka_unit.h"
#include "lib/stats/shift.h"
#include "lib/stats/mathx.h"
#include "tests/unit/close.h"

TEST(a_row_without_a_measurement_has_no_figure)
{
    struct agreed a = agree(NULL, 0);

    assert_false(is_known(a.value) || is_known(a.lo) || is_known(a.hi) || a.settled);
    assert_false(is_known(agree_error(a)));
}

TEST(the_figure_is_the_median)
{
    const double odd[] = {3, 1, 2}, even[] = {4, 1, 2, 3};

    assert_close(agree(odd, 3).value, 2, 1e-12);
    assert_close(agree(even, 4).value, 2.5, 1e-12);
    assert_close(agree(even, 4).lo, 1, 1e-12);
    assert_close(agree(even, 4).hi, 4, 1e-12);
}

TEST(too_few_are_not_settled)
{
    const double x[] = {1, 1, 1};

    assert_false(agree(x, 1).settled || agree(x, 2).settled);
    assert_close(agree(x, 1).value, 1, 1e-12);
    assert_false(is_known(agree_error(agree(x, 1))));
    assert_true(agree(x, 3).settled);
}

TEST(agreement_is_a_share_or_absolute)
{
    const double small[] = {0.20, 0.22, 0.24}, apart[] = {0.20, 0.22, 0.26};
    const double large[] = {100, 102, 104}, far[] = {100, 102, 106}, below[] = {-0.02, 0, 0.02};

    assert_true(agree(small, 3).settled && agree(large, 3).settled && agree(below, 3).settled);
    assert_false(agree(apart, 3).settled || agree(far, 3).settled);
}

TEST(one_outlier_of_seven_is_left_out)
{
    const double x[] = {1, 1, 1.01, 9, 1, 1.02, 0.99};

    assert_false(agree(x, 6).settled);
    assert_true(agree(x, 7).settled);
    assert_close(agree(x, 7).hi, 1.02, 1e-12);
}

TEST(the_smallest_disturbed_figures_that_agree_are_used)
{
    const double x[] = {1.9, 1.0, 1.6, 1.01, 1.02, 2.5};
    struct agreed a = agree_least(x, 6);

    assert_close(a.value, 1.01, 1e-12);
    assert_close(a.lo, 1.0, 1e-12);
    assert_close(a.hi, 1.02, 1e-12);
    assert_true(a.settled && !agree(x, 6).settled);
    assert_false(agree_least(x, 3).settled || is_known(agree_error(agree_least(x, 1))));
}

TEST(a_difference_is_as_uncertain_as_both)
{
    const double a[] = {5, 5.1, 5.2}, b[] = {1, 1.01, 1.02};
    struct agreed d = agree_minus(agree(a, 3), agree(b, 3));

    assert_close(d.value, 4.09, 1e-12);
    assert_close(d.lo, 3.98, 1e-12);
    assert_close(d.hi, 4.2, 1e-12);
    assert_close(agree_error(d), 0.11, 1e-9);
    assert_true(d.settled);
}

TEST(figures_differ_by_more_than_their_ranges_and_a_share)
{
    const struct agreed one = {1, 0.99, 1.01, true}, near = {1.04, 1.03, 1.05, true},
                        wide = {2, 1, 3, true}, two = {2, 1.9, 2.1, true};

    assert_true(agree_differ(one, two) && agree_differ(two, one));
    assert_false(agree_differ(one, near)); /* less than AGREE_SHARE */
    assert_false(agree_differ(one, wide));
    assert_false(agree_differ(one, agree(NULL, 0)) || agree_differ(agree(NULL, 0), one));
}
