#include "lib/text/str.h"

#include "tests/unit/cmocka_unit.h"

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
