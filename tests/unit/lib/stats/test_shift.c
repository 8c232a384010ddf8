#include "lib/stats/shift.h"
#include "tests/unit/close.h"
#include "tests/unit/lib/stats/gauss.h"
#include "tests/unit/cmocka_unit.h"
#include "lib/stats/mathx.h"

/* The shift between two sets of values. */

/* Of the tables of Mann and Whitney's U, two-sided: the largest critical value that is still
 * rejected is one less than the rank. */
TEST(ranks_are_those_of_published_tables)
{
    assert_int_equal(shift_rank(16, 16, 0.99), 60 + 1);
    assert_int_equal(shift_rank(16, 16, 0.95), 75 + 1);
    assert_int_equal(shift_rank(8, 8, 0.99), 7 + 1);
    assert_int_equal(shift_rank(8, 10, 0.95), 17 + 1);
    assert_int_equal(shift_rank(10, 8, 0.95), 17 + 1);
    assert_int_equal(shift_rank(5, 5, 0.99), 0 + 1);
    assert_int_equal(shift_rank(4, 4, 0.99), 0);
    assert_int_equal(shift_rank(4, 4, 0.95), 0 + 1);
    assert_int_equal(shift_rank(1, 16, 0.99), 0);
    assert_int_equal(shift_rank(0, 16, 0.99), 0);
}

TEST(shifts_are_those_computed_by_hand)
{
    static const double a[] = {5, 1, 9}, b[] = {2, 1};
    struct shift s = shift_of(a, 3, b, 2, 0.99); /* 3 4 -1 0 7 8 */

    assert_true(s.by == 3.5 && s.lo != s.lo && s.hi != s.hi);
    s = shift_of(a, 3, b, 2, 0.79); /* P(U = 0) is 1/10 on either side */
    assert_true(s.by == 3.5 && s.lo == -1 && s.hi == 8);
    s = shift_of(a, 3, b, 0, 0.79);
    assert_true(s.by != s.by && s.lo != s.lo);
}

/* The same shift, whatever two odd values on either side do. */
TEST(odd_values_do_not_move_the_shift)
{
    double a[16], b[16];

    for (int i = 0; i < 16; i++) {
        b[i] = 3 + 0.001 * i;
        a[i] = b[i] + 0.5;
    }
    assert_close(shift_of(a, 16, b, 16, 0.99).by, 0.5, 1e-12);
    a[3] = a[9] = 1000;
    b[5] = 77;
    struct shift s = shift_of(a, 16, b, 16, 0.99);
    assert_close(s.by, 0.5, 0.004);
    assert_true(s.lo > 0.48 && s.hi < 0.52);
}

/* 99 of 100 intervals contain the shift, whether placements are alike except for noise or one in
 * eight is odd; and a shift of five percent is noticed. */
TEST(intervals_hold_the_shift)
{
    for (int odd = 0; odd <= 1; odd++) {
        struct rng rng = {41};
        int holds = 0, seen = 0;
        for (int round = 0; round < 2000; round++) {
            double a[16], b[16];
            for (int i = 0; i < 16; i++) {
                a[i] = 3.15 + 0.05 * gauss(&rng) + (odd && rng_unit(&rng) < 0.125);
                b[i] = 3 + 0.05 * gauss(&rng) + (odd && rng_unit(&rng) < 0.125);
            }
            struct shift s = shift_of(a, 16, b, 16, 0.99);
            holds += s.lo <= 0.15 && 0.15 <= s.hi;
            seen += s.lo > 0;
        }
        assert_true(holds > 0.983 * 2000); /* three standard errors */
        assert_true(seen > (odd ? 0.9 : 0.99) * 2000);
    }
}

/* Measurements at a few placements become one figure, which is settled only if they agree. */

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
