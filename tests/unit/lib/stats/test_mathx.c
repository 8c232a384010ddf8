#include "lib/stats/mathx.h"
#include "tests/unit/close.h"
#include "tests/unit/rng.h"
#include "tests/unit/cmocka_unit.h"

TEST(sqrt_is_exact_and_monotone)
{
    for (uint64_t i = 0; i < 3000; i++)
        assert_true(mathx_sqrt((double)(i * i)) == (double)i);
    assert_true(mathx_sqrt(2) == 1.4142135623730951);
    assert_true(mathx_sqrt(0x1p-1000) == 0x1p-500);
    double negative = mathx_sqrt(-1);
    assert_true(negative != negative);
}

TEST(floor_and_nearest_are_exact)
{
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
    EACH_CASE (c, cases) {
        assert_true(mathx_floor(c->x) == c->floor);
        assert_true(mathx_nearest(c->x) == c->nearest);
    }
    double nan = mathx_floor(__builtin_nan(""));
    assert_true(nan != nan);
}

/* From the series of cos in 40 decimal digits, on the double's exact value. */
TEST(cos_of_known_turns_is_exact_to_1e_15)
{
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
    EACH_CASE (c, cases)
        assert_close(mathx_cos_turns(c->turns), c->cos, 1e-15);
}

TEST(cos_doubles_its_angle)
{
    struct rng rng = {1};

    for (int i = 0; i < 100000; i++) {
        double x = (rng_unit(&rng) - 0.5) * 8, c = mathx_cos_turns(x);
        assert_close(mathx_cos_turns(2 * x), 2 * c * c - 1, 1e-14);
        assert_true(mathx_cos_turns(-x) == c);
    }
}

/* The x87 unit's logarithm and exponential, right to 64 bits: another road to the same value. */
static long double x87_log(long double x)
{
    long double result;

    __asm__("fldln2\n\tfxch\n\tfyl2x" : "=t"(result) : "0"(x) : "st(1)");
    return result;
}

/* 2^t with t = x log2(e), its whole part apart: f2xm1 takes -1 .. 1. */
static long double x87_exp(long double x)
{
    long double result;

    __asm__("fldl2e\n\tfmulp\n\tfld %%st\n\tfrndint\n\tfxch\n\tfsub %%st(1), %%st\n\t"
            "f2xm1\n\tfld1\n\tfaddp\n\tfscale\n\tfstp %%st(1)"
            : "=t"(result)
            : "0"(x)
            : "st(1)", "st(2)");
    return result;
}

static void assert_same(double got, long double wanted, long double share)
{
    long double away = got - wanted, slack = share * (wanted < 0 ? -wanted : wanted);

    if (!(away <= slack && -away <= slack))
        fail_msg("%.17g is not %.20Lg", got, wanted);
}

TEST(exp_and_log_agree_with_the_x87)
{
    struct rng rng = {3};

    for (int i = 0; i < 100000; i++) {
        double u = rng_unit(&rng) - 0.5;
        assert_same(mathx_exp(2 * u), x87_exp(2 * u), 5e-16L);
        assert_same(mathx_exp(1400 * u), x87_exp(1400 * u), 1e-15L);
        double x = mathx_exp(1400 * u), near_one = 1 + u / (1 << (i % 30));
        assert_same(mathx_log(x), x87_log(x), 5e-16L);
        if (near_one != 1)
            assert_same(mathx_log(near_one), x87_log(near_one), 5e-16L);
    }
}

TEST(exp_and_log_are_right_at_the_ends)
{
    const double inf = __builtin_inf(), nan = __builtin_nan("");

    assert_true(mathx_exp(0) == 1 && mathx_exp(-0.0) == 1 && mathx_log(1) == 0);
    assert_true(mathx_exp(709.79) == inf && mathx_exp(inf) == inf);
    assert_true(mathx_exp(-746) == 0 && mathx_exp(-inf) == 0);
    assert_same(mathx_exp(709.78), 1.7928227943945155e308L, 1e-15L);
    assert_same(mathx_exp(-740), 4.199558e-322L, 0.01L);
    assert_true(mathx_log(0) == -inf && mathx_log(inf) == inf);
    assert_same(mathx_log(0x1p-1074), -744.44007192138126231L, 5e-16L);
    const double not_numbers[] = {mathx_log(-1), mathx_log(nan), mathx_exp(nan), mathx_log(-inf)};
    for (int i = 0; i < 4; i++)
        assert_true(not_numbers[i] != not_numbers[i]);
}

TEST(log1p_rest_keeps_its_digits)
{
    /* -u^2/2 + u^3/3 - u^4/4 + ...: 80 terms of 64 bits */
    for (double u = 0.33; u > 1e-200; u *= 0.83)
        for (int sign = -1; sign <= 1; sign += 2) {
            long double x = sign * u, power = x * x, wanted = 0;
            for (int k = 2; k < 80; k++, power *= x)
                wanted += (k % 2 ? power : -power) / k;
            if (wanted < -1e-300L)
                assert_same(mathx_log1p_rest(sign * u), wanted, 1e-15L);
        }
    assert_same(mathx_log1p_rest(3), x87_log(4) - 3, 1e-15L);
    assert_same(mathx_log1p_rest(-0.75), x87_log(0.25L) + 0.75L, 1e-15L);
    assert_true(mathx_log1p_rest(-1) == -__builtin_inf() && mathx_log1p_rest(0) == 0);
}
