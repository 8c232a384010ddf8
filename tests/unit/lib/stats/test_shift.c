/* The shift between two sets of values. */
#include "lib/stats/shift.h"
#include "tests/unit/close.h"
#include "tests/unit/lib/stats/gauss.h"
#include "tests/unit/cmocka_unit.h"

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
