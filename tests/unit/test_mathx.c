#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "lib/mathx.h"
#include "tests/unit/close.h"
#include "tests/unit/rng.h"

static void sqrt_is_exact_and_monotone(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 3000; i++)
        assert_true(mathx_sqrt((double)(i * i)) == (double)i);
    assert_true(mathx_sqrt(2) == 1.4142135623730951);
    assert_true(mathx_sqrt(0x1p-1000) == 0x1p-500);
    double negative = mathx_sqrt(-1);
    assert_true(negative != negative);
}

static void floor_and_nearest(void **state)
{
    (void)state;
    static const struct {
        double x, floor, nearest;
    } cases[] = {
        {0, 0, 0},
        {0.49, 0, 0},
        {0.5, 0, 1},
        {0.51, 0, 1},
        {1, 1, 1},
        {-0.2, -1, 0},
        {-0.5, -1, 0},
        {-0.51, -1, -1},
        {-1, -1, -1},
        {-1.5, -2, -1},
        {2.5, 2, 3},
        {1e9 + 0.75, 1e9, 1e9 + 1},
        {0x1p52, 0x1p52, 0x1p52},
        {-0x1p60, -0x1p60, -0x1p60},
        {0x1p51 + 0.5, 0x1p51, 0x1p51 + 1},
        {1e300, 1e300, 1e300},
        {0.49999999999999994, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(mathx_floor(cases[i].x) == cases[i].floor);
        assert_true(mathx_nearest(cases[i].x) == cases[i].nearest);
    }
    double nan = mathx_floor(__builtin_nan(""));
    assert_true(nan != nan);
}

/* From the series of cos in 40 decimal digits, on the double's exact value. */
static void cos_of_known_turns(void **state)
{
    (void)state;
    static const struct {
        double turns, cos;
    } cases[] = {
        {0, 1},
        {0.25, 0},
        {0.5, -1},
        {1, 1},
        {1e9 + 0.5, -1},
        {0.01, 0.998026728428271559},
        {0.1, 0.809016994374947451},
        {0.124, 0.711535677209285344},
        {0.125, 0.707106781186547573},
        {0.126, 0.702649969798849194},
        {0.2, 0.309016994374947340},
        {0.2499, 0.000628318489376188},
        {0.26, -0.062790519529313429},
        {0.3, -0.309016994374947340},
        {0.374, -0.702649969798849194},
        {0.376, -0.711535677209285344},
        {0.49, -0.998026728428271559},
        {0.501, -0.999980260856137115},
        {0.7, -0.309016994374947673},
        {0.99, 0.998026728428271559},
        {1.3, -0.309016994374947673},
        {-0.2, 0.309016994374947340},
        {12345.678, -0.437115766651590798},
        {3000000.0625, 0.923879532511286738},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_close(mathx_cos_turns(cases[i].turns), cases[i].cos, 1e-15);
}

static void cos_doubles_its_angle(void **state)
{
    (void)state;
    struct rng rng = {1};
    for (int i = 0; i < 100000; i++) {
        double x = (rng_unit(&rng) - 0.5) * 8, c = mathx_cos_turns(x);
        assert_close(mathx_cos_turns(2 * x), 2 * c * c - 1, 1e-14);
        assert_true(mathx_cos_turns(-x) == c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sqrt_is_exact_and_monotone),
        cmocka_unit_test(floor_and_nearest),
        cmocka_unit_test(cos_of_known_turns),
        cmocka_unit_test(cos_doubles_its_angle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
