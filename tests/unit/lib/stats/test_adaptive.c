#include "lib/stats/literature.h"
#include "lib/stats/mathx.h"
#include "tests/unit/cmocka_unit.h"

/* A machine: a stretch of n iterations takes fixed + per_iteration n seconds, read off a clock that
 * moves in steps of `resolution`. */
static double timed(double fixed, double per_iteration, double resolution, uint64_t n)
{
    return mathx_floor((fixed + per_iteration * (double)n) / resolution) * resolution;
}

TEST(ends_near_the_target)
{
    static const double iterations[] = {1e-12, 1e-9, 3.7e-7, 1e-4, 0.0071};
    static const double resolutions[] = {1e-12, 1e-9, 1e-6, 1e-4};
    const double root = mathx_sqrt(2);

    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 4; j++) {
            struct adaptive a;
            int readings = 0;
            adaptive_start(&a, 0.01, 1, UINT64_MAX);
            while (a.state == ADAPTIVE_MORE) {
                adaptive_add(&a, true, timed(2e-7, iterations[i], resolutions[j], a.n));
                assert_true(++readings < 20);
            }
            assert_int_equal(a.state, ADAPTIVE_DONE);
            assert_true(a.last >= 0.01 / root - 1e-12);
            /* The step before could be wrong by the clock's resolution. */
            assert_true(a.last <= 0.01 * root || resolutions[j] > 1e-5 || iterations[i] > 5e-3);
            assert_true(a.last <= 0.02);
        }
}

TEST(one_iteration_can_be_enough)
{
    struct adaptive a;

    adaptive_start(&a, 0.01, 1, 1000);
    assert_int_equal(a.n, 1);
    assert_int_equal(adaptive_add(&a, true, 0.007), ADAPTIVE_MORE);
    assert_int_equal(a.n, 2); /* 1.43 iterations are not a step */
    adaptive_start(&a, 0.01, 1, 1000);
    assert_int_equal(adaptive_add(&a, true, 0.0071), ADAPTIVE_DONE);
    assert_int_equal(a.n, 1);
}

TEST(a_stopped_clock_ends_at_the_greatest_n)
{
    static const uint64_t most[] = {1, 2, 1000, (1ull << 53) + 1, UINT64_MAX};

    for (int i = 0; i < 5; i++) {
        struct adaptive a;
        uint64_t before = 0;
        int readings = 0;
        adaptive_start(&a, 0.01, 1, most[i]);
        while (a.state == ADAPTIVE_MORE) {
            assert_true(a.n > before && a.n <= most[i]);
            before = a.n;
            adaptive_add(&a, true, 0);
            assert_true(++readings < 20);
        }
        assert_int_equal(a.state, ADAPTIVE_MOST);
        assert_true(a.n == most[i]);
    }
}

/* Bodies that do whole passes, and tables that end: n is never another number. */
TEST(n_keeps_to_grain_and_most)
{
    static const uint64_t grains[] = {1, 7, 50, 10000, 1ull << 20, (1ull << 40) - 1};
    static const uint64_t mosts[] = {1ull << 40, 10000, 2048, 50, 1};
    static const double iterations[] = {0, 1e-12, 1e-9, 3.7e-7, 1};

    for (int g = 0; g < 6; g++)
        for (int m = 0; m < 5; m++)
            for (int t = 0; t < 5; t++) {
                struct adaptive a;
                int readings = 0;
                if (mosts[m] < grains[g])
                    continue;
                adaptive_start(&a, 0.01, grains[g], mosts[m]);
                assert_true(a.n == grains[g]);
                for (; a.state == ADAPTIVE_MORE; readings++) {
                    adaptive_add(&a, true, timed(0, iterations[t], 1e-12, a.n));
                    assert_true(a.n > 0 && a.n % grains[g] == 0 && a.n <= mosts[m]);
                }
                assert_true(readings < 20);
                assert_true(a.state == ADAPTIVE_DONE || a.n == mosts[m] - mosts[m] % grains[g]);
            }
}

/* Never two steps of the same n, even where a double cannot tell n from n + 1. */
TEST(grows_by_one_at_least)
{
    struct adaptive a;

    adaptive_start(&a, 1.4142135, 1, UINT64_MAX);
    a.n = (1ull << 60) + 1;
    for (int i = 0; i < 10 && a.state == ADAPTIVE_MORE; i++) {
        uint64_t before = a.n;
        adaptive_add(&a, true, 0.99999 * a.target * 0.70710678);
        assert_true(a.n > before || a.state == ADAPTIVE_MOST);
    }
}

TEST(a_failed_read_is_tried_again)
{
    struct adaptive a;

    adaptive_start(&a, 0.01, 1, 1000);
    for (int round = 0; round < 2; round++) {
        uint64_t n = a.n;
        for (int i = 1; i < ADAPTIVE_TRIES; i++)
            assert_int_equal(adaptive_add(&a, false, 1), ADAPTIVE_MORE);
        assert_int_equal(a.n, n);
        assert_int_equal(adaptive_add(&a, true, 1e-3 * (double)n / 10), ADAPTIVE_MORE);
        assert_true(a.n > n);
    }
    for (int i = 1; i < ADAPTIVE_TRIES; i++)
        adaptive_add(&a, false, 1);
    assert_int_equal(adaptive_add(&a, false, 1), ADAPTIVE_NO_CLOCK);
}
