/* The count from which one thing costs less than another. */
#include "lib/stats/growth.h"
#include "tests/unit/cmocka_unit.h"

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
