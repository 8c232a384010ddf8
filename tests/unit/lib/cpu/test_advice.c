/* Advice depends only on what was read. */
#include "tests/unit/cmocka_unit.h"
#include "lib/cpu/controls.h"

static struct advice said[ADVICE_MAX];

static const struct advice *about(size_t n, const char *topic)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(said[i].topic, topic) == 0)
            return &said[i];
    return NULL;
}

TEST(without_facts_there_is_no_advice)
{
    struct advice_facts f = {0};

    assert_int_equal(advice_choose(&f, said), 0);
}

TEST(each_fact_has_its_advice)
{
    struct advice_facts f;

    const struct {
        enum seen *fact;
        const char *topic;
        enum seen wrong;
        const char *words;
    } cases[] = {
        {&f.virtualised, "virtualised", SEEN_YES, "bare machine"},
        {&f.smi, "smi", SEEN_YES, "USB legacy support"},
        {&f.turbo, "turbo", SEEN_YES, "turbo=off"},
        {&f.lfence, "lfence", SEEN_NO, "recipe=cpuid"},
        {&f.invariant, "tsc", SEEN_NO, "not ns"},
        {&f.smt, "smt", SEEN_YES, "switch it off"},
        {&f.c1e, "c1e", SEEN_YES, "switch it off"},
    };
    EACH_CASE (c, cases)
        for (unsigned seen = SEEN_NO; seen <= SEEN_YES; seen++) {
            memset(&f, 0, sizeof f);
            *c->fact = (enum seen)seen;
            assert_int_equal(advice_choose(&f, said), 1);
            assert_string_equal(said[0].topic, c->topic);
            assert_int_equal(said[0].change, seen == c->wrong);
            assert_int_equal(strstr(said[0].text, c->words) != NULL, said[0].change);
        }
}

TEST(advice_that_asks_for_a_change_comes_first)
{
    struct advice_facts f = {.emulated = SEEN_NO,
                             .virtualised = SEEN_NO,
                             .smi = SEEN_YES,
                             .turbo = SEEN_NO,
                             .lfence = SEEN_YES,
                             .invariant = SEEN_YES,
                             .smt = SEEN_YES,
                             .c1e = SEEN_NO};

    assert_int_equal(advice_choose(&f, said), 7);
    assert_true(said[0].change && said[1].change && !said[2].change);
    assert_string_equal(said[0].topic, "smi");
    assert_string_equal(said[1].topic, "smt");
    assert_false(about(7, "c1e")->change);
}

TEST(an_emulators_settings_are_not_judged)
{
    struct advice_facts f = {.emulated = SEEN_YES, .turbo = SEEN_YES, .smt = SEEN_YES};

    assert_int_equal(advice_choose(&f, said), 1);
    assert_string_equal(said[0].topic, "emulated");
}
