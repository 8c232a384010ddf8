#include "lib/config/choices.h"

#include "tests/unit/text.h"

static void names(const char *text, const char *cores)
{
    struct core_list l;

    assert_true(core_list_parse(&l, text));
    for (unsigned i = 0; i < strlen(cores); i++)
        assert_int_equal(core_list_has(&l, i), cores[i] == '1');
}

TEST(each_form_selects_its_cores)
{
    names("bsp", "1000");
    names("all", "1111");
    names("3", "00010");
    names("0", "10000");
    names("1-4,8", "01111000100");
    names("8,1-4", "01111000100");
    names("2-2,2", "00100");
    names("0-1,1-2", "1110");
    names("007", "00000001");
}

TEST(wrong_lists_are_refused)
{
    static const char *const texts[] = {
        "",      ",",     "1,",      ",1",         "1,,2",
        "-",     "-1",    "1-",      "4-1",        "1-2-3",
        "all,1", "bsp,1", "types,1", "1 ,2",       "x",
        "1x",    "0x3",   "1024",    "1-1024",     "ALL",
        "99999", "1.5",   "+1",      "4294967296", "99999999999999999999999"};
    struct core_list l;

    EACH_CASE (c, texts)
        if (core_list_parse(&l, *c))
            fail_msg("\"%s\" was taken", *c);
}

TEST(cores_at_the_edges_of_words_are_selected)
{
    struct core_list l;

    assert_true(core_list_parse(&l, "63,64,1023"));
    assert_true(core_list_has(&l, 63) && core_list_has(&l, 64) && core_list_has(&l, 1023));
    assert_false(core_list_has(&l, 62) || core_list_has(&l, 65) || core_list_has(&l, 1024));
    assert_int_equal(core_list_count(&l, 1024), 3);
    assert_int_equal(core_list_count(&l, 64), 1);
    assert_int_equal(core_list_count(&l, 0), 0);
    assert_true(core_list_parse(&l, "0-1023"));
    assert_int_equal(core_list_count(&l, 1024), 1024);
    assert_true(core_list_parse(&l, "all"));
    assert_int_equal(core_list_count(&l, 7), 7);
}

/* Which cores these are only a machine can tell. */
TEST(with_types_a_few_of_all_cores_are_selected)
{
    struct core_list l;

    assert_true(core_list_parse(&l, "types"));
    assert_true(l.types && core_list_has(&l, 0) && core_list_has(&l, 1023));
    assert_int_equal(core_list_count(&l, 1), 1);
    assert_int_equal(core_list_count(&l, 1000), CORE_LIST_TYPES);
    assert_int_equal(core_list_meet(&l, 1000), 1000);
    assert_true(core_list_parse(&l, "2-4,8"));
    assert_int_equal(core_list_meet(&l, 1000), 4);
    assert_int_equal(core_list_meet(&l, 4), 2);
}

static void beyond(const char *list, unsigned count, const char *want)
{
    struct core_list l;

    assert_true(core_list_parse(&l, list));
    assert_int_equal(core_list_beyond(&l, count, text_sink()), want[0] != '\0');
    assert_string_equal(text, want);
}

TEST(missing_cores_are_listed)
{
    beyond("all", 1, "");
    beyond("bsp", 1, "");
    beyond("types", 1, "");
    beyond("0-3", 4, "");
    beyond("0-3", 2, "2-3");
    beyond("1-4,8,10-12", 4, "4,8,10-12");
    beyond("1020-1023", 1021, "1021-1023");
    beyond("1023", 1, "1023");
}
