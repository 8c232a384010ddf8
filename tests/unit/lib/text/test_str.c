#include "lib/text/str.h"
#include "tests/unit/text.h"
#include "tests/unit/cmocka_unit.h"

TEST(strings_are_compared)
{
    assert_true(str_eq("abc", "abc"));
    assert_true(str_eq("", ""));
    assert_false(str_eq("abc", "ab"));
    assert_false(str_eq("ab", "abc"));
    assert_false(str_eq("abc", "ABC"));
    assert_true(str_is("abc", "abcdef", 3));
    assert_false(str_is("abc", "abcdef", 4));
    assert_true(str_is_any_case("BaRe-1", "bArE-1", 6));
    assert_false(str_is_any_case("BaRe", "bArE-1", 6));
    assert_false(str_is_any_case("[", "{", 1)); /* 0x20 apart, and no letters */
    assert_true(str_has("a QEMU pc", "QEMU"));
    assert_true(str_has("QEMU", "QEMU"));
    assert_true(str_has("x", ""));
    assert_false(str_has("QEM", "QEMU"));
    assert_false(str_has("a QEM U", "QEMU"));
}

TEST(orders_numbers_by_their_size)
{
    static const char *const in_order[] = {
        "",
        "1",
        "02",
        "2",
        "10",
        "10_c",
        "a",
        "a_1",
        "a_2",
        "a_2_c",
        "a_10",
        "a_16",
        "a_100",
        "a_b",
        "aa",
        "n1x9",
        "n1x10",
        "n2",
        "n02a",
        "n2a",
        "n007",
        "n7",
        "n10",
        "n99999999999999999998",
        "n99999999999999999999",
        "n100000000000000000000",
    };

    for (size_t i = 0; i < COUNT_OF(in_order); i++)
        for (size_t k = 0; k < COUNT_OF(in_order); k++) {
            int order = str_order(in_order[i], in_order[k]);
            assert_true(i < k ? order < 0 : i > k ? order > 0 : order == 0);
        }
}

TEST(a_copy_reports_truncation)
{
    char out[4];

    assert_true(str_copy(out, sizeof out, "abcdef", 3));
    assert_string_equal(out, "abc");
    assert_false(str_copy(out, sizeof out, "abcdef", 4));
    assert_string_equal(out, "abc");
    assert_false(str_copy(out, 1, "a", 1));
    assert_string_equal(out, "");
    assert_true(str_copy(out, 1, "a", 0));
}

TEST(numbers_are_parsed_within_32_bits)
{
    const struct {
        const char *text;
        uint32_t value;
    } good[] = {{"0", 0},           {"10", 10},       {"010", 10},   {"4294967295", ~0},
                {"0x0", 0},         {"0x3f8", 0x3f8}, {"0xFf", 255}, {"0x0000000012", 0x12},
                {"0xffffffff", ~0u}};
    const char *bad[] = {
        "",   "-1", "+1",  " 1",  "1 ",         "0x",          "0X10",
        "1k", "ff", "0xg", "1.0", "4294967296", "0x100000000", "99999999999999999999999"};
    uint32_t v;
    EACH_CASE (c, good) {
        assert_true(str_u32(c->text, &v));
        assert_int_equal(v, c->value);
    }
    v = 77;
    EACH_CASE (c, bad) {
        assert_false(str_u32(*c, &v));
        assert_int_equal(v, 77);
    }
}

TEST(other_bytes_are_escaped)
{
    str_escape(text_sink(), "a ~\\\"\x7f\n\0\xc3", 9);
    assert_string_equal(text, "a ~\\\"\\x7f\\x0a\\x00\\xc3");
}

TEST(a_sink_stays_in_its_buffer)
{
    char text[6] = "zzzzz";
    struct sink_buf b;

    sink_buf_init(&b, text, sizeof text - 1);
    assert_string_equal(text, "");
    b.sink.write(&b.sink, "abc", 3);
    assert_false(b.cut);
    b.sink.write(&b.sink, "d", 1);
    assert_string_equal(text, "abcd");
    assert_false(b.cut);
    b.sink.write(&b.sink, "ef", 2);
    assert_string_equal(text, "abcd");
    assert_true(b.cut);
    assert_int_equal(b.used, 4);
    assert_int_equal(text[5], '\0');
}

TEST(one_pattern_matches_as_stated)
{
    const struct {
        const char *pattern, *name;
        bool match;
    } cases[] = {
        {"", "", true},
        {"", "a", false},
        {"a", "", false},
        {"*", "", true},
        {"*", "abc", true},
        {"?", "", false},
        {"?", "a", true},
        {"?", "ab", false},
        {"abc", "abc", true},
        {"abc", "abcd", false},
        {"abcd", "abc", false},
        {"a*", "abc", true},
        {"*c", "abc", true},
        {"*b", "abc", false},
        {"a*c", "ac", true},
        {"a*c", "abcbc", true},
        {"a*b*c", "aXbYc", true},
        {"a*b*c", "acb", false},
        {"**", "x", true},
        {"*?", "", false},
        {"*?", "x", true},
        {"plt*", "plt_endbr", true},
        {"*_inc", "plt_inc", true},
        {"*_inc", "plt_inc_c", false},
        {"?lt", "plt", true},
        {"A", "a", false},
        {"*aab", "aaaab", true},
    };
    EACH_CASE (one, cases)
        assert_int_equal(glob_match(one->pattern, one->name), one->match);
}

TEST(a_list_matches_if_a_pattern_does)
{
    assert_true(glob_list_match("calls,base*", "baseline"));
    assert_true(glob_list_match("calls,base*", "calls"));
    assert_false(glob_list_match("calls,base*", "call"));
    assert_false(glob_list_match("calls,base*", "calls,baseline2")); /* a name is one name */
    assert_false(glob_list_match("", "a"));
    assert_true(glob_list_match("a,", ""));
}

TEST(elements_of_a_list_are_found)
{
    char out[6];

    assert_true(glob_list_at("a,bcd,e*", 0, out, sizeof out));
    assert_string_equal(out, "a");
    assert_true(glob_list_at("a,bcd,e*", 1, out, sizeof out));
    assert_string_equal(out, "bcd");
    assert_true(glob_list_at("a,bcd,e*", 2, out, sizeof out));
    assert_string_equal(out, "e*");
    assert_false(glob_list_at("a,bcd,e*", 3, out, sizeof out));
    assert_false(glob_list_at("toolong", 0, out, sizeof out));
}

/* Patterns for which a recursive matcher would take practically forever. */
TEST(many_stars_take_bounded_time)
{
    char pattern[201], name[201];

    for (size_t i = 0; i < 200; i++) {
        pattern[i] = i % 2 != 0 ? '*' : 'a';
        name[i] = 'a';
    }
    pattern[198] = 'b';
    pattern[199] = pattern[200] = name[200] = '\0';
    assert_false(glob_match(pattern, name));
}
