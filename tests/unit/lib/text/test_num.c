/* num_f64 against libc's printf: equal except for exact halves (away from zero here) and the sign
 * of zero. */
#include "lib/text/decimal.h"

#include <float.h>
#include "tests/unit/text.h"

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
