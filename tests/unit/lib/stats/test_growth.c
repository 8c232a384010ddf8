#include "lib/stats/growth.h"
#include <math.h>
#include "tests/unit/cmocka_unit.h"

/* The curve that a cost grows with. */

#define POINTS 11

/* n: a power of 2. */
static double curve(enum growth_curve c, unsigned n)
{
    const double log = __builtin_ctz(n), of[] = {1, log, n, n * log, (double)n * n};

    return of[c];
}

/* At 8, 16, ... 8192. */
static void lay(struct growth_point *p, enum growth_curve c, double coefficient)
{
    for (unsigned i = 0; i < POINTS; i++)
        p[i] = (struct growth_point){8u << i, coefficient * curve(c, 8u << i)};
}

static void close_to(double got, double expected)
{
    if (!(fabs(got - expected) <= 1e-9 * fabs(expected)))
        fail_msg("%.12g, not %.12g", got, expected);
}

TEST(each_curve_is_found)
{
    for (enum growth_curve c = 0; c < GROWTH_CURVES; c++) {
        struct growth_point p[POINTS];
        lay(p, c, 2.5);
        struct growth g = growth_fit(p, POINTS);
        assert_true(g.fits && g.curve == c && g.points == POINTS && g.error < 1e-9);
        close_to(g.coefficient, 2.5);
    }
}

/* 5% of each, either way. */
TEST(noise_does_not_change_the_curve)
{
    for (enum growth_curve c = 0; c < GROWTH_CURVES; c++) {
        struct growth_point p[POINTS];
        lay(p, c, 100);
        for (unsigned i = 0; i < POINTS; i++)
            p[i].cost *= i % 2 ? 1.05 : 0.95;
        struct growth g = growth_fit(p, POINTS);
        assert_true(g.fits && g.curve == c && g.error > 0.01 && g.error < 0.15);
        assert_true(g.coefficient > 94 && g.coefficient < 106);
    }
}

/* What a call and a loop's end add: 3 n + 2 is n, 4 log n + 11 is log n. */
TEST(constant_parts_do_not_change_the_curve)
{
    static const struct growth_point line[] = {{8, 26}, {64, 194}, {512, 1538}},
                                     search[] = {
                                         {8, 23}, {64, 35}, {512, 47}, {4096, 59}, {8192, 63}};

    struct growth g = growth_fit(line, 3);
    assert_true(g.fits && g.curve == GROWTH_N && fabs(g.coefficient - 3) < 0.01);
    g = growth_fit(search, 5);
    assert_true(g.fits && g.curve == GROWTH_LOG_N && fabs(g.coefficient - 5.08) < 0.01);
}

/* By hand: c = (1 x 1 + 2 x 2 + 4 x 5) / (1 + 4 + 16) = 25/21, missed by -4/21, -8/21 and 5/21. */
TEST(coefficient_and_error_are_least_squares)
{
    static const struct growth_point p[] = {{1, 1}, {2, 2}, {4, 5}};

    struct growth g = growth_fit(p, 3);
    assert_int_equal(g.curve, GROWTH_N);
    close_to(g.coefficient, 25.0 / 21);
    close_to(g.error * g.error, (16.0 + 64 + 25) / 21 / 21 / 3 / (8.0 / 3) / (8.0 / 3));
}

TEST(other_growth_fits_no_curve)
{
    struct growth_point p[POINTS];

    lay(p, GROWTH_N_SQUARED, 1);
    for (unsigned i = 0; i < POINTS; i++)
        p[i].cost *= p[i].n;
    assert_false(growth_fit(p, POINTS).fits);
    for (unsigned i = 0; i < POINTS; i++)
        p[i].cost = i % 2 ? 1 : 9;
    assert_false(growth_fit(p, POINTS).fits);
    for (unsigned i = 0; i < POINTS; i++)
        p[i].cost = -p[i].n; /* a line, and no cost */
    assert_false(growth_fit(p, POINTS).fits);
}

/* 0 is left out, at 1 a logarithm is 0. */
TEST(zero_and_one_are_accepted)
{
    static const struct growth_point logs[] = {{0, 77}, {1, 0}, {2, 3}, {4, 6}, {8, 9}},
                                     lines[] = {{0, 0}, {1, 3}, {2, 6}, {4, 12}};

    struct growth g = growth_fit(logs, 5);
    assert_true(g.fits && g.curve == GROWTH_LOG_N && g.points == 4);
    close_to(g.coefficient, 3);
    g = growth_fit(lines, 4);
    assert_true(g.fits && g.curve == GROWTH_N && g.points == 3);
}

TEST(equally_good_curves_are_the_slowest)
{
    static const struct growth_point once[] = {{2, 4}, {2, 4}, {2, 4}},
                                     nothing[] = {{8, 0}, {64, 0}, {512, 0}};

    struct growth g = growth_fit(once, 3);
    assert_true(g.fits && g.curve == GROWTH_CONSTANT && g.coefficient == 4);
    g = growth_fit(nothing, 3);
    assert_true(g.fits && g.curve == GROWTH_CONSTANT && g.coefficient == 0 && g.error == 0);
}

TEST(two_points_are_too_few)
{
    static const struct growth_point p[] = {{0, 1}, {8, 8}, {64, 64}, {512, 512}};

    assert_true(growth_fit(p, 4).fits);
    struct growth g = growth_fit(p, 3);
    assert_true(!g.fits && g.points == 2 && isnan(g.coefficient) && isnan(g.error));
    assert_int_equal(growth_fit(p, 0).points, 0);
}

/* The count from which one thing costs less than another. */

#define AT(n, apart, half) n, apart, (apart) - (half), (apart) + (half)

TEST(break_even_points_are_found)
{
    static const struct {
        struct even_point point[7]; /* one with count 0 ends them */
        uint32_t n, lo, hi;
    } cases[] = {
        /* A constant 10 against 3 an iteration: 10 < 3 n from 4 on. */
        {{{AT(1, 7, 0)}, {AT(2, 4, 0)}, {AT(3, 1, 0)}, {AT(4, -2, 0)}}, 4, 4, 4},
        {{{AT(1, 7, 0)}, {AT(8, -14, 0)}}, 4, 4, 4},
        {{{AT(1, 7, 0)}, {AT(2, 4, 0)}, {AT(64, -182, 0)}}, 4, 4, 4},
        /* An equal cost is not below: 12 against 3 an iteration is even at 4. */
        {{{AT(1, 9, 0)}, {AT(4, 0, 0)}, {AT(5, -3, 0)}}, 5, 5, 5},
        {{{AT(2, 6, 0)}, {AT(6, -6, 0)}}, 5, 5, 5},
        /* Intervals bound it; then each side alone. */
        {{{AT(1, 7, 3.5)},
          {AT(2, 4, 3.5)},
          {AT(3, 1, 3.5)},
          {AT(4, -2, 3.5)},
          {AT(5, -5, 3.5)},
          {AT(6, -8, 3.5)}},
         4,
         3,
         5},
        {{{1, 7, 6.5, 14},
          {2, 4, 3.5, 11},
          {3, 1, 0.5, 8},
          {4, -2, -2.5, 5},
          {5, -5, -5.5, 2},
          {6, -8, -9, -1}},
         4,
         4,
         6},
        /* A bound that is not reached is not reported. */
        {{{AT(1, 7, 1)}, {AT(2, 4, 1)}, {AT(3, 2, 1)}}, 0, 0, 0},
        {{{AT(1, 7, 3)}, {AT(2, 4, 3)}, {AT(3, 1, 3)}}, 0, 3, 0},
        {{{AT(1, 7, 3)}, {AT(2, 4, 3)}, {AT(3, -2, 3)}}, 3, 3, 0},
        /* The first point is below. */
        {{{AT(2, -1, 0.5)}, {AT(4, -2, 0.5)}}, 2, 2, 2},
        {{{AT(8, -2, 3)}}, 8, 8, 0},
        /* The same, equal at every count, is never cheaper. */
        {{{AT(1, 0, 0)}, {AT(2, 0, 0)}, {AT(64, 0, 0)}}, 0, 0, 0},
        /* It follows the last count that costs more. */
        {{{AT(1, -1, 0)}, {AT(2, 3, 0)}, {AT(4, -1, 0)}, {AT(8, -2, 0)}}, 4, 4, 4},
    };

    EACH_CASE (c, cases) {
        size_t points = 0;
        while (c->point[points].n)
            points++;
        struct even e = even_find(c->point, points);
        assert_int_equal(e.n, c->n);
        assert_int_equal(e.lo, c->lo);
        assert_int_equal(e.hi, c->hi);
    }
}

/* Wider intervals never make it surer. */
TEST(bounds_are_in_order)
{
    for (unsigned cost = 1; cost < 40; cost++)
        for (unsigned half = 0; half < 10; half++) {
            struct even_point p[6];
            for (unsigned i = 0; i < COUNT_OF(p); i++)
                p[i] = (struct even_point){AT(1u << i, cost - 2.0 * (1u << i), half / 2.0)};
            struct even e = even_find(p, COUNT_OF(p));
            assert_true(e.n == cost / 2 + 1);
            assert_true(e.lo >= 1 && e.lo <= e.n && (e.hi == 0 || e.hi >= e.n));
        }
}
