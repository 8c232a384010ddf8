#include "lib/stats/adaptive.h"
#include "lib/stats/mathx.h"
#include "tests/unit/close.h"
#include "tests/unit/unit.h"

/* A machine: a stretch of n turns takes fixed + per_turn n seconds, read off a clock that moves in
 * steps of `resolution`; at 3 GHz. */
static struct adaptive_reading timed(double fixed, double per_turn, double resolution, uint64_t n)
{
    double seconds = fixed + per_turn * (double)n;
    return (struct adaptive_reading){true, true, mathx_floor(seconds / resolution) * resolution,
                                     seconds * 3e9};
}

static void ends_near_the_target(void **state)
{
    (void)state;
    static const double turns[] = {1e-12, 1e-9, 3.7e-7, 1e-4, 0.0071};
    static const double resolutions[] = {1e-12, 1e-9, 1e-6, 1e-4};
    const double root = mathx_sqrt(2);
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 4; j++) {
            struct adaptive a;
            int readings = 0;
            adaptive_start(&a, 0.01, 1, UINT64_MAX);
            while (a.state == ADAPTIVE_MORE) {
                struct adaptive_reading r = timed(2e-7, turns[i], resolutions[j], a.n);
                adaptive_add(&a, &r);
                assert_true(++readings < 20);
            }
            assert_int_equal(a.state, ADAPTIVE_DONE);
            assert_true(a.last.seconds >= 0.01 / root - 1e-12);
            /* The step before could be wrong by the clock's resolution. */
            assert_true(a.last.seconds <= 0.01 * root || resolutions[j] > 1e-5 || turns[i] > 5e-3);
            assert_true(a.last.seconds <= 0.02);
        }
}

static void one_turn_can_be_enough(void **state)
{
    (void)state;
    struct adaptive a;
    struct adaptive_reading r = {true, false, 0.007, 0};
    adaptive_start(&a, 0.01, 1, 1000);
    assert_int_equal(a.n, 1);
    assert_int_equal(adaptive_add(&a, &r), ADAPTIVE_MORE);
    assert_int_equal(a.n, 2); /* 1.43 turns are no step */
    adaptive_start(&a, 0.01, 1, 1000);
    r.seconds = 0.0071;
    assert_int_equal(adaptive_add(&a, &r), ADAPTIVE_DONE);
    assert_int_equal(a.n, 1);
}

static void a_clock_that_stands_still(void **state)
{
    (void)state;
    static const uint64_t most[] = {1, 2, 1000, (1ull << 53) + 1, UINT64_MAX};
    for (int i = 0; i < 5; i++) {
        struct adaptive a;
        struct adaptive_reading r = {true, true, 0, 0};
        uint64_t before = 0;
        int readings = 0;
        adaptive_start(&a, 0.01, 1, most[i]);
        while (a.state == ADAPTIVE_MORE) {
            assert_true(a.n > before && a.n <= most[i]);
            before = a.n;
            adaptive_add(&a, &r);
            assert_true(++readings < 20);
        }
        assert_int_equal(a.state, ADAPTIVE_MOST);
        assert_true(a.n == most[i]);
    }
}

/* Bodies that do whole passes, and tables that end: n is never another number. */
static void n_keeps_to_grain_and_most(void **state)
{
    (void)state;
    static const uint64_t grains[] = {1, 7, 50, 10000, 1ull << 20, (1ull << 40) - 1};
    static const uint64_t mosts[] = {1ull << 40, 10000, 2048, 50, 1};
    static const double turns[] = {0, 1e-12, 1e-9, 3.7e-7, 1};
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
                    struct adaptive_reading r = timed(0, turns[t], 1e-12, a.n);
                    adaptive_add(&a, &r);
                    assert_true(a.n > 0 && a.n % grains[g] == 0 && a.n <= mosts[m]);
                }
                assert_true(readings < 20);
                assert_true(a.state == ADAPTIVE_DONE || a.n == mosts[m] - mosts[m] % grains[g]);
            }
}

/* Never two steps of the same n, even where a double cannot tell n from n + 1. */
static void grows_by_one_at_least(void **state)
{
    (void)state;
    struct adaptive a;
    struct adaptive_reading r = {true, true, 1, 1};
    adaptive_start(&a, 1.4142135, 1, UINT64_MAX);
    a.n = (1ull << 60) + 1;
    for (int i = 0; i < 10 && a.state == ADAPTIVE_MORE; i++) {
        uint64_t before = a.n;
        r.seconds = 0.99999 * a.target * 0.70710678;
        adaptive_add(&a, &r);
        assert_true(a.n > before || a.state == ADAPTIVE_MOST);
    }
}

static void a_failed_read_is_tried_again(void **state)
{
    (void)state;
    struct adaptive a;
    struct adaptive_reading bad = {false, true, 1, 5}, low = {true, true, 1e-3, 5};
    adaptive_start(&a, 0.01, 1, 1000);
    for (int round = 0; round < 2; round++) {
        uint64_t n = a.n;
        for (int i = 1; i < ADAPTIVE_TRIES; i++)
            assert_int_equal(adaptive_add(&a, &bad), ADAPTIVE_MORE);
        assert_int_equal(a.n, n);
        low.seconds = 1e-3 * (double)n / 10;
        assert_int_equal(adaptive_add(&a, &low), ADAPTIVE_MORE);
        assert_true(a.n > n);
    }
    for (int i = 1; i < ADAPTIVE_TRIES; i++)
        adaptive_add(&a, &bad);
    assert_int_equal(adaptive_add(&a, &bad), ADAPTIVE_NO_CLOCK);
    struct adaptive_result r = adaptive_result(&a, 1, NULL, NULL);
    assert_true(!r.seconds_valid && r.cycles_valid);
}

static void the_line_is_found_again(void **state)
{
    (void)state;
    struct adaptive_line l = {0};
    adaptive_line_add(&l, 1000, 5.5);
    assert_false(adaptive_line_known(&l));
    adaptive_line_add(&l, 1000, 5.5);
    assert_false(adaptive_line_known(&l));
    l = (struct adaptive_line){0};
    for (uint64_t n = 1; n < 1ull << 60; n *= 3)
        adaptive_line_add(&l, n, 80 + 1.25 * (double)n);
    assert_true(adaptive_line_known(&l));
    assert_close(adaptive_line_at(&l, 1ull << 50) / (1.25 * 0x1p50), 1, 1e-12);
    /* Least squares through (1, 1), (2, 3), (3, 2): slope 1/2 through the mean (2, 2). */
    l = (struct adaptive_line){0};
    adaptive_line_add(&l, 1, 1);
    adaptive_line_add(&l, 2, 3);
    adaptive_line_add(&l, 3, 2);
    assert_close(adaptive_line_at(&l, 0), 1, 1e-14);
    assert_close(adaptive_line_at(&l, 6), 4, 1e-14);
}

static void the_loops_own_is_subtracted(void **state)
{
    (void)state;
    struct adaptive_line seconds = {0}, cycles = {0}, none = {0};
    for (uint64_t n = 1; n <= 1 << 20; n *= 2) {
        struct adaptive_reading r = timed(2e-7, 4e-10, 1e-15, n);
        adaptive_line_add(&seconds, n, r.seconds);
        adaptive_line_add(&cycles, n, r.cycles);
    }
    struct adaptive a;
    adaptive_start(&a, 0.01, 1, UINT64_MAX);
    while (a.state == ADAPTIVE_MORE) {
        struct adaptive_reading r = timed(2e-7, 4e-10 + 7e-9, 1e-15, a.n);
        adaptive_add(&a, &r);
    }
    struct adaptive_result r = adaptive_result(&a, 64, &seconds, &cycles);
    assert_true(r.seconds_valid && r.cycles_valid);
    assert_close(r.units, 64.0 * (double)a.n, 0);
    assert_close(r.seconds / (double)a.n, 7e-9, 1e-14);
    assert_close(r.cycles / (double)a.n, 21, 1e-4);

    /* Each on its own. */
    r = adaptive_result(&a, 64, &seconds, &none);
    assert_true(r.seconds_valid && !r.cycles_valid);
    r = adaptive_result(&a, 64, NULL, NULL);
    assert_true(r.seconds_valid && r.cycles_valid && r.seconds == a.last.seconds);
    a.last.cycles_valid = false;
    r = adaptive_result(&a, 64, &seconds, &cycles);
    assert_true(r.seconds_valid && !r.cycles_valid);
    a.last.cycles_valid = true;
    a.last.cycles = 3e9 * (2e-7 + 4e-10 * (double)a.n) * 0.99; /* less than an empty loop */
    r = adaptive_result(&a, 64, &seconds, &cycles);
    assert_true(r.seconds_valid && !r.cycles_valid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_near_the_target),         cmocka_unit_test(one_turn_can_be_enough),
        cmocka_unit_test(a_clock_that_stands_still),    cmocka_unit_test(grows_by_one_at_least),
        cmocka_unit_test(a_failed_read_is_tried_again), cmocka_unit_test(the_line_is_found_again),
        cmocka_unit_test(the_loops_own_is_subtracted),  cmocka_unit_test(n_keeps_to_grain_and_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
