#include "lib/text/decimal.h"
#include <float.h>
#include "tests/unit/text.h"
#include <math.h>
#include "tests/unit/rng.h"

/* num_f64 against libc's printf: equal except for exact halves (away from zero here) and the sign
 * of zero. */

static const char *own(double v, int decimals, int width)
{
    num_f64(text_sink(), v, decimals, width);
    return text;
}

/* Tests whether v is exactly between two results: all its digits (a double has finitely many) after
 * the last one shown are 5000... */
static int is_half(double v, int decimals)
{
    char all[1500];

    snprintf(all, sizeof all, "%.1100f", v);
    const char *rest = strchr(all, '.') + 1 + decimals;
    return rest[0] == '5' && strspn(rest + 1, "0") == strlen(rest + 1);
}

static void same_as_libc(double v, int decimals)
{
    char libc[400];

    snprintf(libc, sizeof libc, "%.*f", decimals, v);
    if (strspn(libc, "-0.") == strlen(libc) && libc[0] == '-')
        memmove(libc, libc + 1, strlen(libc));
    if (!is_half(v, decimals))
        assert_string_equal(own(v, decimals, 0), libc);
}

TEST(picked_values_are_those_of_printf)
{
    const double values[] = {0,
                             1,
                             0.1,
                             0.2,
                             0.3,
                             1.0 / 3,
                             2.0 / 3,
                             9.995,
                             0.05,
                             1e-9,
                             5e-10,
                             4.9e-10,
                             1e-12,
                             1e-300,
                             DBL_MIN,
                             DBL_TRUE_MIN,
                             99.99999,
                             1e9,
                             1e15,
                             1e17,
                             123456.7,
                             2596.12,
                             999999.9999,
                             0.999999999,
                             9.9999999995,
                             4503599627370496.5,
                             9007199254740993.0,
                             999999999999999744.0};

    EACH_CASE (c, values) {
        for (int decimals = 0; decimals <= 9; decimals++) {
            same_as_libc(*c, decimals);
            same_as_libc(-*c, decimals);
        }
    }
}

static uint64_t next_random(uint64_t *x) /* Marsaglia's xorshift64 */
{
    *x ^= *x << 13;
    *x ^= *x >> 7;
    *x ^= *x << 17;
    return *x;
}

TEST(many_values_are_those_of_printf)
{
    uint64_t seed = 20240101;

    for (int i = 0; i < 20000; i++) {
        uint64_t r = next_random(&seed);
        /* Every magnitude below 1e18, down to what rounds to zero. */
        double v = (double)(r >> 11) / (double)(1ull << 53);
        for (uint64_t n = next_random(&seed) % 28; n > 0; n--)
            v *= 10;
        v /= 1e10;
        same_as_libc(r & 1 ? v : -v, (int)(r >> 1 & 15) % 10);
    }
}

TEST(halves_go_away_from_zero)
{
    assert_string_equal(own(0.5, 0, 0), "1");
    assert_string_equal(own(-0.5, 0, 0), "-1");
    assert_string_equal(own(2.5, 0, 0), "3");
    assert_string_equal(own(0.125, 2, 0), "0.13");
    assert_string_equal(own(-0.375, 2, 0), "-0.38");
    assert_string_equal(own(0.0009765625, 9, 0), "0.000976563");
    assert_string_equal(own(999.5, 0, 0), "1000");
}

TEST(a_number_rounded_to_zero_has_no_sign)
{
    assert_string_equal(own(-0.0, 2, 0), "0.00");
    assert_string_equal(own(-0.001, 2, 0), "0.00");
    assert_string_equal(own(-0.006, 2, 0), "-0.01");
}

TEST(large_and_special_values_are_those_of_printf)
{
    char libc[40];
    double v = 1e18;

    for (int i = 18; i < 308; i++, v *= 10) {
        snprintf(libc, sizeof libc, "%.3e", v * 1.2346);
        assert_string_equal(own(v * 1.2346, 2, 0), libc);
    }
    assert_string_equal(own(9.9996e20, 2, 0), "1.000e+21");
    assert_string_equal(own(DBL_MAX, 2, 0), "1.798e+308");
    assert_string_equal(own(-1e18, 2, 0), "-1.000e+18");
    double zero = 0;
    assert_string_equal(own(zero / zero, 2, 0), "nan");
    assert_string_equal(own(1 / zero, 2, 0), "inf");
    assert_string_equal(own(-1 / zero, 2, 6), "  -inf");
}

TEST(numbers_are_padded_to_their_width)
{
    assert_string_equal(own(1.5, 2, 8), "    1.50");
    assert_string_equal(own(1.5, 2, -8), "1.50    ");
    assert_string_equal(own(12345.678, 1, 3), "12345.7");
    assert_string_equal(own(1.5, -3, 0), "2");
    assert_string_equal(own(0.25, 99, 0), "0.250000000");
}

/* The conversions of fmt() around doubles get their arguments, and more doubles than registers. */
TEST(a_format_mixes_doubles_with_other_conversions)
{
    struct sink *out = text_sink();

    num_fmt(out, "%s %.3f%%, %*u [%8.1f] [%-6.2f] %.*f %llu|", "a", 1.5, 4, 7u, -2.25, 3.0, 2,
            0.125, 9ull);
    num_fmt(out, "%.0f%.0f%.0f%.0f%.0f%.0f%.0f%.0f%.0f%.0f %d", 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0,
            8.0, 9.0, 0.0, -1);
    assert_string_equal(text, "a 1.500%,    7 [    -2.3] [3.00  ] 0.13 9|1234567890 -1");
}

/* Figures in the concise notation: digits follow the error, and contain the range. */

static const char *text_of(double value, double error)
{
    concise(text_sink(), value, error);
    return text;
}

TEST(digits_follow_the_error)
{
    static const struct {
        double value, error;
        const char *text;
    } cases[] = {
        {0.25, 0.001, "0.250"},  {0.25, 0, "0.250"},      {0.2571, 0.003, "0.257d"},
        {0.2571, 0.02, "0.26c"}, {0.2571, 0.007, "0.26"}, {1, 0.001, "1.00"},
        {1.01, 0.02, "1.01"},    {1.01, 0.03, "1.01c"},   {1.0049, 0.001, "1.00"},
        {3.14, 0.5, "3.1f"},     {3.14, 0.06, "3.14f"},   {3.1, 0.07, "3.1"},
        {12.34, 0.01, "12.3"},   {123.4, 0.1, "123"},     {1234, 1, "1234"},
        {1234, 56, "1234(56)"},  {-0.02, 0.02, "-0.02"},  {0, 0, "0.000"},
    };
    EACH_CASE (c, cases)
        assert_string_equal(text_of(c->value, c->error), c->text);
}

TEST(an_unknown_error_is_a_question_mark)
{
    assert_string_equal(text_of(1, NAN), "1(?)");
    assert_string_equal(text_of(2.5, NAN), "2.5(?)");
    assert_string_equal(text_of(0.257, NAN), "0.257(?)");
    assert_string_equal(text_of(-3, NAN), "-3(?)");
}

static double power_of_10(int n)
{
    double power = 1;

    for (; n > 0; n--)
        power *= 10;
    for (; n < 0; n++)
        power /= 10;
    return power;
}

TEST(a_written_figure_contains_the_range_of_its_error)
{
    struct rng r = {7};

    for (unsigned i = 0; i < 200000; i++) {
        double value = rng_unit(&r) * power_of_10((int)rng_below(&r, 6) - 1);
        double error = value * rng_unit(&r) * power_of_10(-(int)rng_below(&r, 4));
        const char *text = text_of(value, error), *units = strchr(text, '(');
        const char *point = strchr(text, '.');
        size_t decimals = point ? strspn(point + 1, "0123456789") : 0;
        double written = strtod(text, NULL), unit = power_of_10(-(int)decimals);
        char last = text[strlen(text) - 1];
        double most = (units                        ? strtod(units + 1, NULL)
                       : last >= 'a' && last <= 'z' ? last - 'a' + 1
                                                    : CONCISE_UNITS) *
                      unit;
        assert_true(written + most >= (value + error) * (1 - 1e-9));
        assert_true(written - most <= (value - error) * (1 + 1e-9));
        assert_true(most <= 2 * error + 3 * unit);
    }
}
