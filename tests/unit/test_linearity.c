#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdbool.h>
#include <cmocka.h>
#include "lib/stats/linearity.h"
#include "tests/unit/close.h"

/* Measured: xfence;rdtsc..rdtscp;xfence on a Zen 5, a window that hides up to 42 core cycles, at
 * 0.633 ticks a cycle. */
static void a_window_that_hides_cycles(void **state)
{
    (void)state;
    static const double shown[LINEARITY_POINTS] = {1, 0, 1, 4, 9, 18, 42, 43, 42};
    double ticks[LINEARITY_POINTS];
    struct linearity_point points[LINEARITY_POINTS];
    for (int i = 0; i < LINEARITY_POINTS; i++)
        ticks[i] = 70 + 0.633 * (linearity_adds[i] - shown[i]);
    linearity(ticks, 0.633, 512, 26, points);
    for (int i = 0; i < LINEARITY_POINTS; i++) {
        assert_int_equal(points[i].adds, linearity_adds[i]);
        assert_close(points[i].ticks, ticks[i], 0);
        assert_close(points[i].cycles, -shown[i], 1e-9);
        assert_close(points[i].half, 2.576 * 26 / (32 * 0.633), 1e-9);
        assert_int_equal(points[i].judged, i >= 2);
    }
}

static void a_perfect_window_is_zero_everywhere(void **state)
{
    (void)state;
    double ticks[LINEARITY_POINTS];
    struct linearity_point points[LINEARITY_POINTS];
    for (int i = 0; i < LINEARITY_POINTS; i++)
        ticks[i] = 128.0 * (8 + linearity_adds[i]);
    linearity(ticks, 128, 16, 1, points);
    for (int i = 0; i < LINEARITY_POINTS; i++)
        assert_close(points[i].cycles, 0, 0);
}

static void unknown_is_not_a_number(void **state)
{
    (void)state;
    const double ticks[LINEARITY_POINTS] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    struct linearity_point points[LINEARITY_POINTS];
    linearity(ticks, 0, 512, 26, points);
    for (int i = 0; i < LINEARITY_POINTS; i++)
        assert_true(points[i].cycles != points[i].cycles && points[i].half != points[i].half);
    linearity(ticks, 1, 0, 26, points);
    assert_true(points[3].cycles == -2 && points[3].half != points[3].half);
}

static void enough_windows_for_a_bar(void **state)
{
    (void)state;
    static const struct {
        double half, c, step;
    } cases[] = {{0.5, 0.633, 26}, {1, 1, 1}, {0.01, 0.5, 40}, {3, 2, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double ticks[LINEARITY_POINTS] = {0};
        struct linearity_point points[LINEARITY_POINTS];
        size_t n = linearity_windows(cases[i].half, cases[i].c, cases[i].step);
        assert_true(n >= 1);
        linearity(ticks, cases[i].c, n, cases[i].step, points);
        assert_true(points[3].half <= cases[i].half);
        if (n > 1) {
            linearity(ticks, cases[i].c, n - 1, cases[i].step, points);
            assert_true(points[3].half >= cases[i].half);
        }
    }
    assert_int_equal(linearity_windows(0.5, 0, 26), 0);
    assert_int_equal(linearity_windows(0, 1, 26), 0);
    assert_true(linearity_windows(1e-300, 1, 26) >= 1ull << 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_window_that_hides_cycles),
        cmocka_unit_test(a_perfect_window_is_zero_everywhere),
        cmocka_unit_test(unknown_is_not_a_number),
        cmocka_unit_test(enough_windows_for_a_bar),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
