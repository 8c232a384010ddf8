#include "lib/stats/literature.h"
#include "lib/stats/stats.h"
#include "tests/unit/rng.h"
#include "tests/unit/cmocka_unit.h"
#include "lib/stats/mathx.h"
#include "tests/unit/close.h"

TEST(converges_on_the_smallest)
{
    static const uint64_t ticks[] = {900, 130, 104, 500, 120, 106, 104};
    struct kbest b;

    kbest_start(&b, 3, 0.05, 500);
    for (int i = 0; i < 5; i++)
        assert_true(kbest_add(&b, ticks[i]));
    /* 104, 106, 120: not yet. 104, 104, 106 lie within 5%. */
    assert_true(kbest_add(&b, ticks[5]));
    assert_false(kbest_add(&b, ticks[6]));
    assert_true(b.converged);
    assert_int_equal(b.taken, 7);
    assert_int_equal(b.smallest[0], 104);
    assert_int_equal(b.smallest[1], 104);
    assert_int_equal(b.smallest[2], 106);
}

TEST(needs_k_samples_at_least)
{
    for (unsigned k = 1; k <= KBEST_MOST; k++) {
        struct kbest b;
        kbest_start(&b, k, 0, 500);
        unsigned taken = 1;
        while (kbest_add(&b, 26))
            taken++;
        assert_int_equal(taken, k);
        assert_true(b.converged && b.smallest[0] == 26);
    }
}

/* A body that gets ever faster by more than epsilon: the k smallest never agree. */
TEST(a_search_that_does_not_converge_is_reported)
{
    struct kbest b;
    uint64_t ticks = 1ull << 60;

    kbest_start(&b, 3, 0.05, 50);
    int calls = 1;
    for (; kbest_add(&b, ticks); calls++)
        ticks -= ticks / 10;
    assert_int_equal(calls, 50);
    assert_int_equal(b.taken, 50);
    assert_false(b.converged);
    assert_int_equal(b.smallest[0], ticks);
}

TEST(samples_at_the_bound_agree)
{
    struct kbest b;

    kbest_start(&b, 2, 0.25, 3);
    assert_true(kbest_add(&b, 126));
    assert_true(kbest_add(&b, 100));
    assert_false(kbest_add(&b, 125));
    assert_true(b.converged);
    kbest_start(&b, 1, 0, 1);
    assert_false(kbest_add(&b, 0));
    assert_true(b.converged && b.smallest[0] == 0);
}

TEST(holds_the_k_smallest_of_any_stream)
{
    struct rng rng = {2};

    for (int round = 0; round < 500; round++) {
        uint64_t x[100], n = 1 + rng_below(&rng, 100);
        unsigned k = 1 + (unsigned)rng_below(&rng, KBEST_MOST);
        struct kbest b;
        kbest_start(&b, k, 0, 1000);
        for (uint64_t i = 0; i < n; i++) {
            x[i] = 1000 * i + rng_below(&rng, 50000);
            kbest_add(&b, x[i]); /* continues, converged or not */
        }
        stats_sort(x, n);
        assert_int_equal(b.held, n < k ? n : k);
        assert_memory_equal(b.smallest, x, b.held * sizeof *x);
        assert_int_equal(b.converged, n >= k && x[k - 1] == x[0]);
    }
}

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
