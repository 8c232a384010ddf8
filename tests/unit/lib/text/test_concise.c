/* Figures in the concise notation: digits follow the error, and contain the range. */
#include "lib/text/decimal.h"

#include <math.h>
#include "tests/unit/rng.h"
#include "tests/unit/text.h"

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
