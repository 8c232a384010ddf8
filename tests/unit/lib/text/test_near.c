#include "lib/text/words.h"

#include "tests/unit/text.h"

/* Returns the question about this word, of "a|b|c". */
static const char *asked(const char *word, const char *values)
{
    struct near near = near_to(word, strlen(word));

    near_try_values(&near, values);
    near_ask(&near, "", "", text_sink());
    return text;
}

TEST(a_word_one_edit_away_is_near)
{
    static const char *const near[] = {"calls", "Calls",  "CALLS",  "call",    "alls",
                                       "cals",  "callss", "xcalls", "caxlls",  "cakls",
                                       "aclls", "calsl",  "-calls", "--calls", "--clals"};
    static const char *const far[] = {"",        "-",       "c",     "cal",   "cakks",
                                      "callsxx", "xxcalls", "slcal", "acsll", "scall"};

    EACH_CASE (one, near)
        assert_string_equal(asked(*one, "sum|calls|truth"), " (did you mean calls?)");
    EACH_CASE (one, far)
        assert_string_equal(asked(*one, "sum|calls|truth"), "");
}

TEST(short_words_have_no_near_word)
{
    assert_string_equal(asked("x", "k|on"), "");
    assert_string_equal(asked("kk", "k|on"), "");
    assert_string_equal(asked("of", "on|off"), " (did you mean off?)");
}

TEST(several_words_are_named_up_to_three)
{
    assert_string_equal(asked("add", "addx|adds|sub"), " (did you mean addx or adds?)");
    assert_string_equal(asked("add", "addx|addx|adds"), " (did you mean addx or adds?)");
    assert_string_equal(asked("add", "add1|add2|add3|add4"), " (did you mean add1, add2 or add3?)");
}
