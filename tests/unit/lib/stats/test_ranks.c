/* Intervals by order statistics. */
#include "lib/stats/estimate.h"
#include "tests/unit/close.h"
#include "tests/unit/cmocka_unit.h"

/* n over k. */
static double choose(unsigned n, unsigned k)
{
    double ways = 1;

    for (unsigned i = 1; i <= k; i++)
        ways = ways * (n - k + i) / i;
    return ways;
}

/* Of the table of the sign test: 1 - 2 P(Bin(n, 1/2) < k). */
TEST(ranks_have_the_level_of_the_median_of_all)
{
    assert_close(ranks_median_confidence(8, 1), 0.9921875, 1e-15);
    assert_close(ranks_median_confidence(16, 3), 0.995819091796875, 1e-14);
    assert_close(ranks_median_confidence(16, 4), 0.978729248046875, 1e-14);
    assert_close(ranks_median_confidence(10, 2), 0.978515625, 1e-14);
    assert_close(ranks_median_confidence(5, 1), 0.9375, 1e-15);
    assert_close(ranks_median_confidence(192, 73), 1 - 2 * 3.2456e-4, 1e-4);
    assert_true(ranks_median_confidence(1000, 1) == 1 && ranks_median_confidence(16, 0) == 1);
}

/* Of all C(2n, n) orders in which n and n values may come, those with fewer than k x below y(j),
 * counted one by one. */
static double counted_level(unsigned n, unsigned k)
{
    unsigned j = (n + 1) / 2, outside = 0, all = 0;

    for (uint32_t set = 0; set < 1u << 2 * n; set++) { /* a bit is a y */
        unsigned ys = 0, xs_before = 0;
        if ((unsigned)__builtin_popcount(set) != n)
            continue;
        all++;
        for (unsigned at = 0; ys < j; at++)
            if (set >> at & 1)
                ys++;
            else
                xs_before++;
        outside += xs_before < k;
    }
    return 1 - 2.0 * outside / all;
}

TEST(ranks_have_the_level_counted_for_another_median)
{
    for (unsigned n = 1; n <= 10; n++)
        for (unsigned k = 0; k <= n / 2; k++)
            assert_close(ranks_confidence(n, k), counted_level(n, k), 1e-13);
    /* Nobody below y(6) of 12: C(18, 6) / C(24, 12). */
    assert_close(ranks_confidence(12, 1), 1 - 2 * choose(18, 6) / choose(24, 12), 1e-13);
    assert_close(ranks_confidence(16, 2), 0.984501, 1e-6);
    assert_close(ranks_confidence(16, 3), 0.946198, 1e-6);
}

TEST(each_count_has_the_lowest_sufficient_rank)
{
    static const struct {
        size_t n, k;
    } known[] = {{0, 0},  {1, 0},  {8, 0},  {10, 0}, {11, 1},
                 {14, 1}, {15, 2}, {16, 2}, {32, 7}, {192, 73}};
    EACH_CASE (c, known)
        assert_int_equal(ranks_for(c->n, 0.98), c->k);
    assert_int_equal(ranks_for(16, 0.99), 1);
    for (size_t n = 11; n <= 192; n++) {
        size_t k = ranks_for(n, 0.98);
        assert_true(ranks_confidence(n, k) >= 0.98 && ranks_confidence(n, k + 1) < 0.98);
    }
}
