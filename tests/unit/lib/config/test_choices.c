#include "lib/config/choices.h"
#include "tests/unit/lib/config/made_options.h"

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
    static const char *const texts[] = {"",           ",",
                                        "1,",         ",1",
                                        "1,,2",       "-",
                                        "-1",         "1-",
                                        "4-1",        "1-2-3",
                                        "all,1",      "bsp,1",
                                        "types,1",    "1 ,2",
                                        "nodes,1",    "x",
                                        "1x",         "0x3",
                                        "1024",       "1-1024",
                                        "ALL",        "99999",
                                        "1.5",        "+1",
                                        "4294967296", "99999999999999999999999"};
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
TEST(with_types_or_nodes_a_few_of_all_cores_are_selected)
{
    struct core_list l;

    assert_true(core_list_parse(&l, "types"));
    assert_true(l.types && core_list_has(&l, 0) && core_list_has(&l, 1023));
    assert_int_equal(core_list_count(&l, 1), 1);
    assert_int_equal(core_list_count(&l, 1000), CORE_LIST_TYPES);
    assert_int_equal(core_list_meet(&l, 1000), 1000);
    assert_true(core_list_parse(&l, "nodes"));
    assert_true(l.nodes && core_list_has(&l, 0) && core_list_has(&l, 1023));
    assert_int_equal(core_list_count(&l, 3), 3);
    assert_int_equal(core_list_count(&l, 1000), CORE_LIST_NODES);
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
    beyond("nodes", 1, "");
    beyond("0-3", 4, "");
    beyond("0-3", 2, "2-3");
    beyond("1-4,8,10-12", 4, "4,8,10-12");
    beyond("1020-1023", 1021, "1021-1023");
    beyond("1023", 1, "1023");
}

static struct timer_list l;
static const char *at;
static size_t n;

static enum timer_list_fault fault_of(const char *words, const char *text)
{
    memset(&l, 0xff, sizeof l);
    return timer_list_parse(&l, words, text, &at, &n);
}

TEST(timers_are_in_the_order_given)
{
    char text[TIMER_LIST_TEXT];

    assert_int_equal(fault_of(CLOCK_WORDS, "pit,tsc"), TIMER_LIST_FINE);
    assert_int_equal(l.n, 2);
    assert_int_equal(l.id[0], CLOCK_ID_PIT);
    assert_int_equal(l.id[1], CLOCK_ID_TSC);
    const char *lists[] = {"tsc,hpet,pmtimer,pit", "pmtimer", "pit,hpet"};
    EACH_CASE (c, lists) {
        assert_int_equal(fault_of(CLOCK_WORDS, *c), TIMER_LIST_FINE);
        timer_list_text(&l, CLOCK_WORDS, text);
        assert_string_equal(text, *c);
    }
    assert_int_equal(fault_of(CYCLE_WORDS, "null,tsc,ruler,aperf,pmc"), TIMER_LIST_FINE);
    timer_list_text(&l, CYCLE_WORDS, text);
    assert_string_equal(text, "null,tsc,ruler,aperf,pmc");
}

/* Each enum's order is its words'. */
TEST(each_word_of_a_list_has_its_value)
{
    const struct {
        const char *words, *word;
        unsigned id;
    } all[] = {{CLOCK_WORDS, "tsc", CLOCK_ID_TSC},
               {CLOCK_WORDS, "hpet", CLOCK_ID_HPET},
               {CLOCK_WORDS, "pmtimer", CLOCK_ID_PMTIMER},
               {CLOCK_WORDS, "pit", CLOCK_ID_PIT},
               {CLOCK_WORDS, "cputime", CLOCK_ID_CPUTIME},
               {CLOCK_WORDS, "clock", CLOCK_ID_CLOCK},
               {CYCLE_WORDS, "pmc", CYCLE_PMC},
               {CYCLE_WORDS, "aperf", CYCLE_APERF},
               {CYCLE_WORDS, "ruler", CYCLE_RULER},
               {CYCLE_WORDS, "tsc", CYCLE_TSC},
               {CYCLE_WORDS, "null", CYCLE_NULL},
               {CYCLE_WORDS, "rdtscp", CYCLE_RDTSCP},
               {CYCLE_WORDS, "perf", CYCLE_PERF},
               {CLOCK_WORDS, "thread", CLOCK_ID_THREAD},
               {CLOCK_WORDS, "times", CLOCK_ID_TIMES},
               {CLOCK_WORDS, "auto", CLOCK_ID_AUTO},
               {CYCLE_WORDS, "auto", CYCLE_AUTO}};
    char name[TIMER_NAME_MAX];
    assert_int_equal(COUNT_OF(all), CLOCK_IDS + 1 + CYCLE_IDS + 1);
    EACH_CASE (c, all) {
        assert_int_equal(fault_of(c->words, c->word), TIMER_LIST_FINE);
        assert_int_equal(l.id[0], c->id);
        timer_name(c->words, c->id, name);
        assert_string_equal(name, c->word);
    }
}

/* `auto` means the timers of the standard order that are not named. */
TEST(auto_is_the_rest_of_the_standard_order)
{
    const struct {
        const char *list, *order;
        bool goes_on;
    } lists[] = {{"auto", CLOCK_STANDARD, true},
                 {"pit,tsc", "pit,tsc", false},
                 {"pit,auto", "pit,tsc,hpet,pmtimer", true},
                 {"auto,tsc", "hpet,pmtimer,pit,tsc", true},
                 {"cputime,auto,clock", "cputime,tsc,hpet,pmtimer,pit,clock", true}};
    EACH_CASE (c, lists) {
        char text[TIMER_LIST_TEXT];
        assert_int_equal(fault_of(CLOCK_WORDS, c->list), TIMER_LIST_FINE);
        struct timer_order order = timer_list_order(&l, &timer_clocks);
        timer_list_text(&order.list, CLOCK_WORDS, text);
        assert_string_equal(text, c->order);
        assert_int_equal(order.goes_on, c->goes_on);
    }
    assert_int_equal(fault_of(CYCLE_WORDS, "auto"), TIMER_LIST_FINE);
    char text[TIMER_LIST_TEXT];
    struct timer_order order = timer_list_order(&l, &timer_cycles);
    timer_list_text(&order.list, CYCLE_WORDS, text);
    assert_string_equal(text, CYCLE_STANDARD);
}

TEST(wrong_lists_are_refused_with_the_item)
{
    const struct {
        const char *text;
        enum timer_list_fault fault;
        size_t from, n;
        const char *said;
    } bad[] = {{"", TIMER_LIST_EMPTY, 0, 0, "an item is empty"},
               {"tsc,", TIMER_LIST_EMPTY, 4, 0, "an item is empty"},
               {",tsc", TIMER_LIST_EMPTY, 0, 0, "an item is empty"},
               {"tsc,,pit", TIMER_LIST_EMPTY, 4, 0, "an item is empty"},
               {"tsc,rtc,pit", TIMER_LIST_UNKNOWN, 4, 3, "it does not contain \"rtc\""},
               {"TSC", TIMER_LIST_UNKNOWN, 0, 3, "it does not contain \"TSC\" (did you mean tsc?)"},
               {"ts", TIMER_LIST_UNKNOWN, 0, 2, "it does not contain \"ts\" (did you mean tsc?)"},
               {"tsc|hpet", TIMER_LIST_UNKNOWN, 0, 8, "it does not contain \"tsc|hpet\""},
               {"pit,pit", TIMER_LIST_TWICE, 4, 3, "\"pit\" occurs twice"},
               {"tsc,hpet,pmtimer,pit,tsc", TIMER_LIST_TWICE, 21, 3, "\"tsc\" occurs twice"}};
    EACH_CASE (c, bad) {
        struct timer_list before = {.n = 1, .id = {CLOCK_ID_PIT}}, after = before;
        struct options o;
        char word[80];
        assert_int_equal(timer_list_parse(&after, CLOCK_WORDS, c->text, &at, &n), c->fault);
        assert_int_equal(at - c->text, c->from);
        assert_int_equal(n, c->n);
        assert_memory_equal(&before, &after, sizeof before);
        snprintf(word, sizeof word, "clock=%s", c->text);
        assert_false(parse(&o, word));
        assert_non_null(strstr(message, c->said));
    }
}
