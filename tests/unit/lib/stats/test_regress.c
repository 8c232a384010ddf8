#include "lib/stats/literature.h"
#include "lib/stats/mathx.h"
#include "tests/unit/close.h"
#include "tests/unit/cmocka_unit.h"

enum { POINTS = 64, STEP = 16 };

/* T(N) = 40 + 1.5 N core cycles of two ticks each. */
static void grow(uint64_t least[POINTS])
{
    for (unsigned i = 0; i < POINTS; i++)
        least[i] = 80 + 3 * STEP * i;
}

TEST(a_line_is_found)
{
    uint64_t least[POINTS];

    grow(least);
    struct regression r = regress(least, POINTS, STEP, 2);
    assert_int_equal(r.n, POINTS);
    assert_close(r.slope, 1.5, 1e-12);
    assert_close(r.intercept, 40, 1e-9);
    assert_close(r.r2, 1, 1e-12);
    assert_close(r.residual_max, 0, 1e-9);
    assert_int_equal(r.spurious, 0);
}

/* Least squares computed by hand: five points at 0, 1 .. 4 that read 1, 3, 5, 11, 9. */
TEST(residuals_and_r2_of_scattered_minima_are_computed)
{
    static const uint64_t least[] = {1, 3, 5, 11, 9};
    struct regression r = regress(least, 5, 1, 1);

    assert_close(r.slope, 2.4, 1e-12);
    assert_close(r.intercept, 1, 1e-12);
    assert_close(r.residual_max, 2.8, 1e-12);
    assert_close(r.r2, 1 - 11.2 / 68.8, 1e-12);
    assert_int_equal(r.n, 5);
    assert_int_equal(r.spurious, 1); /* 9 after 11 */
}

/* Paoloni counts each body whose minimum is smaller than that of the one before. */
TEST(spurious_minima_are_counted)
{
    uint64_t least[POINTS];

    grow(least);
    least[10] += 1000; /* no calm window: the next one is smaller */
    least[20] -= 60;   /* itself smaller than the one before */
    least[30] -= 48;   /* as small: no */
    assert_int_equal(regress(least, POINTS, STEP, 2).spurious, 2);
    least[9] = UINT64_MAX; /* an unknown value is not a minimum, */
    least[21] = UINT64_MAX;
    struct regression r = regress(least, POINTS, STEP, 2);
    assert_int_equal(r.spurious, 2);
    assert_int_equal(r.n, POINTS - 2); /* and no point */
}

TEST(an_unknown_line_is_reported_as_unknown)
{
    uint64_t least[POINTS];

    grow(least);
    struct regression r = regress(least, POINTS, STEP, 0);
    assert_true(r.n == 0 && !is_known(r.slope) && !is_known(r.intercept) && !is_known(r.r2));
    assert_false(is_known(r.residual_max));
    assert_int_equal(regress(least, 2, STEP, 2).n, 0);
    for (unsigned i = 0; i < POINTS; i++)
        least[i] = 7;
    r = regress(least, POINTS, STEP, 1);
    assert_true(r.n == POINTS && r.slope == 0 && !is_known(r.r2) && r.residual_max == 0);
}
