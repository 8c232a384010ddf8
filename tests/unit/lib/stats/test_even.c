/* The count from which one thing costs less than another. */
#include "lib/stats/growth.h"
#include "tests/unit/cmocka_unit.h"

#define COUNT(a)           (sizeof(a) / sizeof *(a))
#define AT(n, apart, half) n, apart, (apart) - (half), (apart) + (half)

static void expect(const struct even_point *p, size_t count, uint32_t n, uint32_t lo, uint32_t hi)
{
    struct even e = even_find(p, count);

    assert_int_equal(e.n, n);
    assert_int_equal(e.lo, lo);
    assert_int_equal(e.hi, hi);
}

/* A constant 10 against 3 an iteration: 10 < 3 n from 4 on. */
TEST(a_constant_beats_a_loop)
{
    static const struct even_point each[] = {{AT(1, 7, 0)},
                                             {AT(2, 4, 0)},
                                             {AT(3, 1, 0)},
                                             {AT(4, -2, 0)}},
                                   some[] = {{AT(1, 7, 0)}, {AT(8, -14, 0)}},
                                   wide[] = {{AT(1, 7, 0)}, {AT(2, 4, 0)}, {AT(64, -182, 0)}};

    expect(each, COUNT(each), 4, 4, 4);
    expect(some, COUNT(some), 4, 4, 4);
    expect(wide, COUNT(wide), 4, 4, 4);
}

/* An equal cost is not below: 12 against 3 an iteration is even at 4. */
TEST(an_equal_cost_is_the_break_even_point)
{
    static const struct even_point points[] = {{AT(1, 9, 0)}, {AT(4, 0, 0)}, {AT(5, -3, 0)}},
                                   line[] = {{AT(2, 6, 0)}, {AT(6, -6, 0)}};

    expect(points, COUNT(points), 5, 5, 5);
    expect(line, COUNT(line), 5, 5, 5);
}

TEST(intervals_bound_the_break_even_point)
{
    static const struct even_point points[] = {{AT(1, 7, 3.5)},  {AT(2, 4, 3.5)},
                                               {AT(3, 1, 3.5)},  {AT(4, -2, 3.5)},
                                               {AT(5, -5, 3.5)}, {AT(6, -8, 3.5)}};

    expect(points, COUNT(points), 4, 3, 5);
}

/* Each side alone. */
TEST(each_side_gives_its_bound)
{
    static const struct even_point points[] = {{1, 7, 6.5, 14},  {2, 4, 3.5, 11},  {3, 1, 0.5, 8},
                                               {4, -2, -2.5, 5}, {5, -5, -5.5, 2}, {6, -8, -9, -1}};

    expect(points, COUNT(points), 4, 4, 6);
}

TEST(a_bound_that_is_not_reached_is_not_reported)
{
    static const struct even_point never[] = {{AT(1, 7, 1)}, {AT(2, 4, 1)}, {AT(3, 2, 1)}},
                                   maybe[] = {{AT(1, 7, 3)}, {AT(2, 4, 3)}, {AT(3, 1, 3)}},
                                   unsure[] = {{AT(1, 7, 3)}, {AT(2, 4, 3)}, {AT(3, -2, 3)}};

    expect(never, COUNT(never), 0, 0, 0);
    expect(maybe, COUNT(maybe), 0, 3, 0);
    expect(unsure, COUNT(unsure), 3, 3, 0);
}

TEST(a_first_point_below_is_the_count)
{
    static const struct even_point points[] = {{AT(2, -1, 0.5)}, {AT(4, -2, 0.5)}},
                                   one[] = {{AT(8, -2, 3)}};

    expect(points, COUNT(points), 2, 2, 2);
    expect(one, COUNT(one), 8, 8, 0);
}

/* The same, equal at every count, is never cheaper. */
TEST(equal_costs_never_break_even)
{
    static const struct even_point same[] = {{AT(1, 0, 0)}, {AT(2, 0, 0)}, {AT(64, 0, 0)}};

    expect(same, COUNT(same), 0, 0, 0);
}

TEST(the_break_even_point_follows_the_last_count_that_costs_more)
{
    static const struct even_point points[] = {
        {AT(1, -1, 0)}, {AT(2, 3, 0)}, {AT(4, -1, 0)}, {AT(8, -2, 0)}};

    expect(points, COUNT(points), 4, 4, 4);
}

/* Wider intervals never make it surer. */
TEST(bounds_are_in_order)
{
    for (unsigned cost = 1; cost < 40; cost++)
        for (unsigned half = 0; half < 10; half++) {
            struct even_point p[6];
            for (unsigned i = 0; i < COUNT(p); i++)
                p[i] = (struct even_point){AT(1u << i, cost - 2.0 * (1u << i), half / 2.0)};
            struct even e = even_find(p, COUNT(p));
            assert_true(e.n == cost / 2 + 1);
            assert_true(e.lo >= 1 && e.lo <= e.n && (e.hi == 0 || e.hi >= e.n));
        }
}
