/* fmt against libc's printf, over values and specifications. */
#include "lib/text/fmt.h"

#include <inttypes.h>
#include <limits.h>
#include "tests/unit/cmocka_unit.h"

/* The same arguments for both; formats are built at run time, so the compiler cannot check them. */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
#define SAME(format, ...)                                                                          \
    do {                                                                                           \
        char own[200], libc[200];                                                                  \
        size_t n = fmt_buf(own, sizeof own, format, __VA_ARGS__);                                  \
        assert_int_equal(n, snprintf(libc, sizeof libc, format, __VA_ARGS__));                     \
        assert_string_equal(own, libc);                                                            \
    } while (0)

static const long long values[] = {
    0,         1,       -1,         9,         10,         -10,         99,        100,
    127,       128,     -128,       255,       256,        32767,       32768,     -32768,
    65535,     65536,   1000000,    INT_MAX,   INT_MIN,    UINT_MAX,    LLONG_MAX, LLONG_MIN,
    123456789, -987654, 0xdeadbeef, 0x1234567, 4294967296, -4294967296, 42,        7,
};

TEST(numbers_are_those_of_printf)
{
    const char *flags[] = {"", "-", "0", "-0", "0-"};
    const char *widths[] = {"", "1", "5", "12", "25", "40"};
    char format[32];

    EACH_CASE (one, values) {
        EACH_CASE (each, flags) {
            EACH_CASE (k, widths) {
                for (const char *kind = "diuxX"; *kind != '\0'; kind++) {
#define WITH(length, cast)                                                                         \
    snprintf(format, sizeof format, "<%%%s%s%s%c>", *each, *k, length, *kind);                     \
    SAME(format, (cast)*one);
                    WITH("", int)
                    WITH("hh", int)
                    WITH("h", int)
                    WITH("l", long)
                    WITH("ll", long long)
                    WITH("z", size_t)
#undef WITH
                }
            }
        }
    }
}

TEST(strings_are_those_of_printf)
{
    SAME("%s|%s", "", "abc");
    SAME("[%8s][%-8s][%2s]", "abc", "abc", "abc");
    SAME("[%.2s][%.0s][%.9s][%.s]", "abc", "abc", "abc", "abc");
    SAME("[%8.2s][%-8.2s]", "abc", "abc");
    SAME("[%*s][%-*s][%*s]", 7, "ab", 7, "ab", -7, "ab");
    SAME("[%.*s][%.*s]", 1, "ab", -1, "ab");
    SAME("[%*d][%0*d]", 5, 42, 5, -42);
    SAME("%c%5c%-5c|", 'x', 'y', 'z');
    SAME("100%% %d%%", 5);
    SAME("[%40s]", "wider than the run of sixteen blanks");
    char open[3] = {'a', 'b', 'c'}; /* not terminated: the precision must be enough */
    SAME("%.*s", 3, open);
}

TEST(other_conversions_are_those_of_printf)
{
    char text[64];

    const char *volatile none = NULL; /* gcc knows better than to pass a plain one */
    fmt_buf(text, sizeof text, "%s", none);
    assert_string_equal(text, "(null)");
    fmt_buf(text, sizeof text, "%p %12p", (void *)0xfee00000, NULL);
    assert_string_equal(text, "0xfee00000          0x0");
}

/* A mistake is visible, and what follows is not formatted with the wrong arguments. */
TEST(an_unknown_conversion_is_copied)
{
    const char *formats[] = {"%f",  "%q %s", "%n",  "%.3d", "%5", "%",
                             "%ll", "%#x",   "%ls", "%lc",  "%lp"};

    EACH_CASE (c, formats) {
        char text[64], want[64], format[64];
        snprintf(format, sizeof format, "%%d:%s", *c);
        snprintf(want, sizeof want, "1:%s", *c);
        fmt_buf(text, sizeof text, format, 1);
        assert_string_equal(text, want);
    }
}

TEST(text_is_cut_at_the_buffer)
{
    char text[5];

    assert_int_equal(fmt_buf(text, sizeof text, "%d", 123456), 4);
    assert_string_equal(text, "1234");
    assert_int_equal(fmt_buf(text, 1, "%d", 5), 0);
    assert_string_equal(text, "");
    /* A width beyond int does not wrap. */
    assert_int_equal(fmt_buf(text, sizeof text, "%*d", 100000, 5), 4);
    assert_string_equal(text, "    ");
}
