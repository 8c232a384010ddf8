#include "lib/text/words.h"

#include "lib/config/options.h"
#include "tests/unit/cmocka_unit.h"

static char said[256];

/* Returns the question about this word, of "a|b|c". */
static const char *asked(const char *word, const char *values)
{
    struct near near = near_to(word, strlen(word));
    struct sink_buf out;

    sink_buf_init(&out, said, sizeof said);
    near_try_values(&near, values);
    near_ask(&near, "", "", &out.sink);
    return said;
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

/* Returns the question of options_take() about a word. */
static const char *of_option(const char *text)
{
    static char message[4096];
    struct options o;
    struct sink_buf out;
    struct word word = {.n = strlen(text)};

    memcpy(word.at, text, word.n);
    sink_buf_init(&out, message, sizeof message);
    options_default(&o);
    assert_false(options_take(&o, &word, "command line", "word", 1, &out.sink));
    return message;
}

TEST(a_near_word_is_asked_about)
{
    static const struct {
        const char *word, *asked;
    } cases[] = {
        {"sutie=calls", "(did you mean suite=?)"},  {"--suite=calls", "(did you mean suite=?)"},
        {"sampels=64", "(did you mean samples=?)"}, {"hlep", "(did you mean help?)"},
        {"--list", "(did you mean list?)"},         {"method=kbets", "(did you mean kbest?)"},
        {"clock=tsc,hept", "(did you mean hpet?)"}, {"format=jsnol", "(did you mean jsonl?)"},
    };

    EACH_CASE (c, cases)
        assert_non_null(strstr(of_option(c->word), c->asked));
    assert_null(strstr(of_option("root=/dev/sda"), "did you mean"));
}
