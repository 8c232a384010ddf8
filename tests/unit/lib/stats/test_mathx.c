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

/* To a share of the wanted value. */
#define assert_near(got, wanted, share)                                                            \
    assert_close(got, wanted, (share) * ((wanted) < 0 ? -(wanted) : (wanted)))

/* From scipy 1.10 (stats.norm, stats.t, stats.f: ppf below p = 0.5, isf of 1 - p above), whose own
 * error reaches 4e-9 in t and F. */
TEST(quantiles_of_the_normal_distribution_are_those_of_scipy)
{
    static const struct {
        double p, z;
    } cases[] = {
        {1e-12, -7.03448382530113},    {1e-06, -4.7534243088229},
        {0.005, -2.5758293035489},     {0.3, -0.524400512708041},
        {0.499, -0.00250663089957177}, {0.5000001, 2.50662827331165e-07},
        {0.9, 1.2815515655446},        {0.995, 2.5758293035489},
        {0.9995, 3.29052673149193},
    };
    EACH_CASE (c, cases)
        assert_near(dist_normal(c->p), c->z, 1e-9);
    assert_close(dist_normal(0.5), 0, 0);
}

/* Those of 1 and 2 degrees of freedom have closed forms. */
TEST(quantiles_of_t_are_those_of_scipy)
{
    static const struct {
        double p, df, t;
    } cases[] = {
        {0.001, 3, -10.2145318524},
        {0.001, 15, -3.73283441853},
        {0.001, 100000.0, -3.09031380943},
        {0.001, 100000000.0, -3.09023238767},
        {0.3, 3, -0.584389727264},
        {0.3, 15, -0.535729132976},
        {0.3, 100000.0, -0.524402184234},
        {0.3, 100000000.0, -0.52440051438},
        {0.9, 3, 1.63774435722},
        {0.9, 15, 1.34060560785},
        {0.9, 100000.0, 1.28156003145},
        {0.9, 100000000.0, 1.28155157401},
        {0.995, 3, 5.84090929976},
        {0.995, 15, 2.94671288334},
        {0.995, 100000.0, 2.57587846991},
        {0.995, 100000000.0, 2.57582935271},
        {0.9995, 3, 12.9239786366},
        {0.9995, 15, 4.0727651959},
        {0.9995, 100000.0, 3.29062403141},
        {0.9995, 100000000.0, 3.29052682879},
        {0.999999, 3, 103.299468021},
        {0.999999, 15, 7.46438494179},
        {0.999999, 100000.0, 4.75370471639},
        {0.999999, 100000000.0, 4.75342458921},
    };
    EACH_CASE (c, cases)
        assert_near(dist_t(c->p, c->df), c->t, 1e-8);
}

TEST(quantiles_of_f_are_those_of_scipy)
{
    static const struct {
        double p, df1, df2, f;
    } cases[] = {
        {0.001, 1, 1, 2.46740515899e-06},
        {0.001, 1, 15, 1.62399969615e-06},
        {0.001, 2, 100000000.0, 0.00100050033359},
        {0.001, 15, 1, 0.0602866642667},
        {0.001, 15, 15, 0.18066580934},
        {0.001, 999, 100000.0, 0.866851486312},
        {0.001, 999, 100000000.0, 0.867415037132},
        {0.001, 100000.0, 100000.0, 0.980645206895},
        {0.001, 100000000.0, 2, 0.144764817366},
        {0.1, 1, 1, 0.0250856309369},
        {0.1, 1, 15, 0.0163344396123},
        {0.1, 2, 100000000.0, 0.105360515769},
        {0.1, 15, 1, 0.325395256441},
        {0.1, 15, 15, 0.507043950451},
        {0.1, 999, 100000.0, 0.942846449309},
        {0.1, 999, 100000000.0, 0.943104078527},
        {0.1, 100000.0, 100000.0, 0.991927484047},
        {0.1, 100000000.0, 2, 0.434294472594},
        {0.9, 1, 1, 39.8634581891},
        {0.9, 1, 15, 3.07318554959},
        {0.9, 2, 100000000.0, 2.30258514235},
        {0.9, 15, 1, 61.2203432586},
        {0.9, 15, 15, 1.97221562176},
        {0.9, 999, 100000.0, 1.05806799331},
        {0.9, 999, 100000000.0, 1.05775329974},
        {0.9, 100000.0, 100000.0, 1.0081382118},
        {0.9, 100000000.0, 2, 9.49122157103},
        {0.999, 1, 1, 405284.067903},
        {0.999, 1, 15, 16.587416341},
        {0.999, 2, 100000000.0, 6.90775575307},
        {0.999, 15, 1, 615763.662007},
        {0.999, 15, 15, 5.53508161647},
        {0.999, 999, 100000.0, 1.14482457409},
        {0.999, 999, 100000000.0, 1.14399281107},
        {0.999, 100000.0, 100000.0, 1.01973679468},
        {0.999, 100000000.0, 2, 999.499916615},
        /* scipy 1.10 errs by 4e-4 here; from the integral in 40 digits (mpmath). */
        {0.999, 1e8, 1e8, 1.0006182374977683},
    };
    EACH_CASE (c, cases)
        assert_near(dist_f(c->p, c->df1, c->df2), c->f, 1e-8);
}

/* Where the integrals are elementary. */
TEST(quantiles_are_those_of_closed_forms)
{
    for (double p = 0.0009765625; p < 1; p += 0.0009765625) { /* exact in binary, 1 - p too */
        double c = 2 * p - 1;
        assert_near(dist_f(p, 2, 2), p / (1 - p), 1e-12);
        if (p == 0.5)
            continue;
        assert_near(dist_t(p, 2), c * mathx_sqrt(2 / (1 - c * c)), 1e-12);
        /* Cauchy: tan(pi (p - 1/2)) = -cot(pi p). */
        double cosine = mathx_cos_turns(p / 2), sine = mathx_cos_turns(p / 2 - 0.25);
        assert_near(dist_t(p, 1), -cosine / sine, 1e-12);
        /* I_x(1, 1) = x, I_x(2, 1) = x^2, I_x(1, 3) = 1 - (1 - x)^3 */
        assert_near(dist_beta(1, 1, p, 1 - p), p, 1e-14);
        assert_near(dist_beta(2, 1, p, 1 - p), p * p, 1e-14);
        assert_near(dist_beta(1, 3, p, 1 - p), 1 - (1 - p) * (1 - p) * (1 - p), 1e-13);
    }
    assert_close(dist_beta(3, 4, 0, 1), 0, 0);
    assert_close(dist_beta(3, 4, 1, 0), 1, 0);
}

/* Each quantile, checked by the integral, and each against its mirror image. */
TEST(quantiles_are_inverses_and_mirror_images)
{
    static const double df[] = {1, 1.5, 2, 15, 333, 1e5, 1e8, 1e9};
    static const double ps[] = {1e-12, 1e-5, 0.001, 0.25, 0.5};

    EACH_CASE (c, df)
        EACH_CASE (one, df)
            EACH_CASE (it, ps) {
                double f = dist_f(*it, *c, *one), ratio = *one / *c / f;
                double x = 1 / (1 + ratio), y = 1 / (1 + 1 / ratio);
                assert_near(dist_beta(*c / 2, *one / 2, x, y), *it, 1e-7);
                if (*it >= 0.25) /* below, 1 - p has lost digits */
                    assert_near(dist_f(1 - *it, *one, *c) * f, 1, 1e-12);
            }
    EACH_CASE (c, df)
        assert_near(dist_t(0.25, *c), -dist_t(0.75, *c), 1e-14);
    /* The limit, from the series t = z + z (z^2 + 1) / (4 df). */
    double z = dist_normal(0.995);
    assert_near(dist_t(0.995, 1e8), z + z * (z * z + 1) / 4e8, 1e-9);
}

TEST(ends_are_infinite_and_wrong_arguments_give_nan)
{
    const double inf = __builtin_inf(), nan = __builtin_nan("");

    assert_true(dist_normal(0) == -inf && dist_normal(1) == inf);
    assert_true(dist_t(0, 3) == -inf && dist_t(1, 3) == inf);
    assert_true(dist_f(0, 3, 4) == 0 && dist_f(1, 3, 4) == inf);
    const double wrong[] = {
        dist_normal(-0.1), dist_normal(1.1),    dist_normal(nan),     dist_t(0.5, 0.5),
        dist_t(0.5, nan),  dist_t(2, 5),        dist_t(0.5, 2e9),     dist_f(0.5, 0, 1),
        dist_f(0.5, 1, 0), dist_f(nan, 10, 10), dist_f(0.5, inf, 10),
    };
    EACH_CASE (c, wrong)
        assert_true(*c != *c);
    assert_near(dist_t(1e-100, 1), -1 / (3.14159265358979323846e-100), 1e-9);
    assert_near(dist_normal(1e-300), -37.0470962993612, 1e-9);
}
