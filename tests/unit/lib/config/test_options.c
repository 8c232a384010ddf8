/* Words as options: every key, wrong words and their messages, encodings. */
#define _DEFAULT_SOURCE /* strsep() */
#include "lib/config/options.h"

#include "tests/unit/lib/config/made_options.h"
#include "tests/unit/says.h"

/* Parts that a message must contain, NULL at the end: the place, the word, the name, the allowed
 * values. */
#define SAYS(...) ((const char *const[]){__VA_ARGS__, NULL})

static struct options o;

static void refused(const char *words, const char *const *says)
{
    assert_false(parse(&o, words));
    assert_says_each(message, says, __FILE__, __LINE__);
}

TEST(values_of_each_kind_reach_their_fields)
{
    assert_true(parse(&o, "suite=calls,base* bench=plt samples=16 warmup=0 recipe=xfence\n"
                          "format=jsonl hist=off serial=com2,9600 finish=poweroff takeover=exit\n"
                          "cores=1-4,8 share=together park=deep console=both help list\n"
                          "turbo=off prefetch=off freq=max dma=off quiet_time=250 gaps_max=20"));
    assert_true(o.help && o.list);
    assert_string_equal(o.suite, "calls,base*");
    assert_string_equal(o.bench, "plt");
    assert_int_equal(o.samples, 16);
    assert_int_equal(o.warmup, 0);
    assert_int_equal(o.recipe, RECIPE_XFENCE);
    assert_int_equal(o.format, FORMAT_JSONL);
    assert_int_equal(o.hist, HIST_OFF);
    assert_int_equal(o.console, CONSOLE_BOTH);
    assert_int_equal(o.serial.kind, SERIAL_PORT);
    assert_int_equal(o.serial.port, 0x2f8);
    assert_int_equal(o.serial.baud, 9600);
    assert_int_equal(o.finish, FINISH_POWEROFF);
    assert_int_equal(o.takeover, TAKEOVER_EXIT);
    assert_string_equal(o.cores, "1-4,8");
    assert_int_equal(o.share, SHARE_TOGETHER);
    assert_int_equal(o.park, PARK_DEEP);
    assert_int_equal(o.turbo, SETTING_OFF);
    assert_int_equal(o.prefetch, SETTING_OFF);
    assert_int_equal(o.dma, SETTING_OFF);
    assert_int_equal(o.freq, FREQ_MAX);
    assert_int_equal(o.quiet_time, 250);
    assert_int_equal(o.gaps_max, 20);
}

TEST(a_former_name_is_accepted_and_today_s_is_recorded)
{
    assert_true(parse(&o, "quiet_budget=7"));
    assert_int_equal(o.retry_budget, 7);
    assert_true(options_give(&o, "retry_budget"));
    assert_true(options_knows("quiet_budget=7"));
    options_show(&o, 0, text_sink());
    assert_non_null(strstr(text, " retry_budget=7"));
    assert_null(strstr(text, "quiet_budget"));
}

TEST(limits_of_suite_quiet_are_named)
{
    static const char *const words[] = {"quiet_time=0", "quiet_time=604801", "quiet_time=1.5",
                                        "quiet_time=off", "quiet_time=4294967297"},
                             *const most[] = {"gaps_max=0", "gaps_max=60000001", "gaps_max=auto",
                                              "gaps_max=20us"};

    EACH_CASE (c, words) {
        assert_false(parse(&o, *c));
        assert_non_null(strstr(message, "quiet_time takes auto or a number from 1 to 604800"));
    }
    EACH_CASE (c, most) {
        assert_false(parse(&o, *c));
        assert_non_null(strstr(message, "gaps_max takes off or a number from 1 to 60000000"));
    }
    assert_true(parse(&o, "gaps_max=20 gaps_max=off quiet_time=5 quiet_time=auto"));
    assert_int_equal(o.gaps_max, 0);
    assert_int_equal(o.quiet_time, 0);
}

TEST(the_later_word_wins)
{
    assert_true(parse(&o, "samples=100 samples=0x20 suite=a suite=b"));
    assert_int_equal(o.samples, 32);
    assert_string_equal(o.suite, "b");
    /* A second source changes only the options that it names. */
    assert_true(parse_bytes(&o, "samples=50", 10));
    assert_int_equal(o.samples, 50);
    assert_string_equal(o.suite, "b");
    assert_true(parse(&o, "samples=1000000 samples=16"));
    assert_true(parse(&o, ""));
    assert_true(parse(&o, "\r\n  # nothing\n"));
}

TEST(words_that_exclude_each_other_are_refused)
{
    static const char *const right[] = {
        "takeover=borrow finish=return", "finish=return",    "takeover=exit",
        "takeover=borrow finish=halt",   "upload=http://h/", "upload=auto takeover=exit",
        "dma=off takeover=exit",         "dma=off"};

    static const struct {
        const char *words, *these, *instead;
    } wrong[] = {
        {"finish=return takeover=exit", "takeover=exit with finish=return: ", "borrow"},
        {"dma=off takeover=borrow", "dma=off with takeover=borrow or finish=return: ", "exit"},
        {"finish=return dma=off", "dma=off with takeover=borrow or finish=return: ", "exit"},
        {"upload=http://h/ takeover=exit", "upload= with takeover=exit or dma=off: ", "borrow"},
        {"dma=off upload=http://h/", "upload= with takeover=exit or dma=off: ", "borrow"}};

    EACH_CASE (c, right) {
        assert_true(parse(&o, *c));
        assert_true(options_check_pairs(&o, text_sink()));
        assert_string_equal(text, "");
    }
    EACH_CASE (c, wrong) {
        char instead[40];
        assert_true(parse(&o, c->words));
        assert_false(options_check_pairs(&o, text_sink()));
        snprintf(instead, sizeof instead, "takeover=%s or auto", c->instead);
        assert_says(text, c->these, instead);
    }
}

TEST(messages_name_place_word_and_allowed_values)
{
    refused("\n\nsamples=99999999", SAYS("baretick.conf, line 3: \"samples=99999999\": ", "samples",
                                         "auto", "16", "1000000"));
    refused("samples=15", SAYS("baretick.conf, line 1: \"samples=15\": ", "auto", "16", "1000000"));
    refused("warmup=1001", SAYS("line 1: \"warmup=1001\": ", "warmup", "0", "1000"));
    refused("warmup=-1", SAYS("line 1: \"warmup=-1\": ", "warmup", "0", "1000"));
    refused("samples=", SAYS("line 1: \"samples=\": ", "auto", "16", "1000000"));
    refused("samples", SAYS("line 1: \"samples\": ", "value", "samples=auto"));
    refused("cores=4-1", SAYS("line 1: \"cores=4-1\": ", "bsp", "all", "0", "1023", "127 bytes"));
    refused("format=Table", SAYS("line 1: \"format=Table\": ", "auto|both|table|jsonl|lines",
                                 "did you mean table?"));
    refused("format=tabl", SAYS("line 1: \"format=tabl\": ", "auto|both|table|jsonl|lines",
                                "did you mean table?"));
    refused("format=", SAYS("line 1: \"format=\": ", "auto|both|table|jsonl|lines"));
    refused("format=both|table", SAYS("\"format=both|table\": ", "auto|both|table|jsonl|lines"));
    refused("takeover=lend", SAYS("line 1: \"takeover=lend\": ", "auto|exit|borrow"));
    refused("serial=com5",
            SAYS("line 1: \"serial=com5\": ", "auto|off|com1..com4|io:PORT|mmio:ADDR:WIDTH:STRIDE",
                 "0x100", "0xfff8", "0x100000", "1, 2 or 4", "1, 2, 4 or 8", ",BAUD", "50",
                 "115200"));
    refused("samples=64\nbench=", SAYS("baretick.conf, line 2: \"bench=\": ", "255 bytes"));
    refused("clock=tsc,rtc",
            SAYS("line 1: \"clock=tsc,rtc\": ",
                 "tsc|hpet|pmtimer|pit|cputime|clock|thread|times|auto", "\"rtc\""));
    refused("cycle=pmc,,tsc", SAYS("line 1: \"cycle=pmc,,tsc\": ",
                                   "pmc|aperf|ruler|tsc|null|rdtscp|perf|auto", "empty"));
    refused("clock=pit,tsc,pit",
            SAYS("line 1: \"clock=pit,tsc,pit\": ",
                 "tsc|hpet|pmtimer|pit|cputime|clock|thread|times|auto", "\"pit\"", "twice"));
    /* The value may have a password, so it is not shown. */
    refused("upload=htp://me:secret@h/", SAYS("line 1: \"upload=...\": ", "auto, off", "http://"));
    refused("\"samples=64", SAYS("line 1: \"samples=64\": ", "double quote"));
    refused("suite=caf\xe9", SAYS("line 1: \"suite=caf\\xe9\": ", "UTF-8", "UTF-16"));
}

/* Short: the similar word if there is one, and the way to list the others. */
TEST(an_unknown_word_gets_a_near_one)
{
    refused("list\r\nfromat=table",
            SAYS("baretick.conf, line 2: \"fromat=table\": ", "did you mean format=?", "`help`"));
    refused("helpp", SAYS("line 1: \"helpp\": ", "did you mean help?", "`help`"));
    refused("hlep", SAYS("did you mean help?"));
    refused("--list", SAYS("did you mean list?"));
    refused("sutie=calls", SAYS("did you mean suite=?"));
    refused("--suite=calls", SAYS("did you mean suite=?"));
    refused("method=kbets", SAYS("did you mean kbest?"));
    refused("clock=tsc,hept", SAYS("did you mean hpet?"));
    refused("root=/dev/sda1", SAYS("line 1: \"root=/dev/sda1\": ", "`help`"));
    assert_null(strstr(message, "did you mean"));
}

/* Each key is found again from a word that lacks one of its letters. */
TEST(every_key_is_suggested_for_a_near_word)
{
    const struct option_doc *docs;
    size_t n = options_docs(&docs);

    for (size_t i = 0; i < n; i++) {
        char word[40], found[40];
        size_t length = strlen(docs[i].key);
        if (length < 4)
            continue; /* too short for a guess */
        snprintf(word, sizeof word, "%.*s=1", (int)length - 1, docs[i].key);
        if (options_knows(word)) /* another word is one letter shorter */
            continue;
        snprintf(found, sizeof found, "%s=", docs[i].key);
        assert_false(parse(&o, word));
        assert_non_null(strstr(message, "did you mean "));
        assert_non_null(strstr(message, found));
    }
}

TEST(unclear_words_are_refused)
{
    const char *words[] = {"Samples=64",
                           "SAMPLES=64",
                           "samples:64",
                           "=64",
                           "=",
                           "help=1",
                           "help=",
                           "HELP",
                           "lists",
                           "samples=64,",
                           "samples=6 4",
                           "suite=a,,b",
                           "suite=,a",
                           "suite=a,",
                           "suite=\"a b\"",
                           "suite=caf\xc3\xa9",
                           "suite=a\x01z",
                           "\"\"",
                           "-h",
                           "--help",
                           "samples =64",
                           "samples= 64"};

    EACH_CASE (c, words)
        assert_false(parse(&o, *c));
    assert_true(parse(&o, "\"samples=64\" suite=\"a\""));
}

TEST(a_nul_in_a_file_is_refused)
{
    options_default(&o);
    assert_false(parse_bytes(&o, "samples=64\0x", 12));
    assert_non_null(strstr(message, "baretick.conf, line 1: \"samples=64\\x00x\": "));
    assert_non_null(strstr(message, "UTF-8 or UTF-16"));
    assert_false(parse_bytes(&o, "help\0", 5));
}

TEST(long_words_are_shortened)
{
    char text[600];

    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    assert_false(parse(&o, text));
    assert_non_null(strstr(message, "xxxx...\": no such word; "));
    assert_true(strstr(message, "no such word") < message + 120); /* two lines of a screen */
    memcpy(text, "suite=", 6); /* cut, though what is left would do */
    assert_false(parse(&o, text));
    text[6 + 255] = '\0';
    assert_true(parse(&o, text));
    assert_int_equal(strlen(o.suite), 255);
    text[6 + 255] = 'x';
    text[6 + 256] = '\0';
    assert_false(parse(&o, text));
    assert_non_null(strstr(message, "255 bytes"));
}

/* One text in every encoding that a user may save it in. */
TEST(one_text_is_read_in_every_encoding)
{
    const char *text = "# Gr\xc3\xb6\xc3\x9f"
                       "e\r\nsamples=77 # \xf0\x9f\x98\x80\r\nsuite=calls\r\n";
    const char *text16 = u8"# Gr\u00f6\u00dfe\r\nsamples=77 #";
    uint8_t bytes[300];

    assert_true(parse(&o, text));
    assert_int_equal(o.samples, 77);
    memcpy(bytes, "\xef\xbb\xbf", 3);
    memcpy(bytes + 3, text, strlen(text));
    options_default(&o);
    assert_true(parse_bytes(&o, bytes, 3 + strlen(text)));
    assert_int_equal(o.samples, 77);
    assert_string_equal(o.suite, "calls");

    for (int form = 0; form < 4; form++) {
        bool big = form & 1, bom = form & 2;
        size_t n = 0;
        if (bom) {
            bytes[n++] = big ? 0xfe : 0xff;
            bytes[n++] = big ? 0xff : 0xfe;
        }
        for (const char *c = text16; *c != '\0'; c++) {
            uint8_t low = (uint8_t)*c;
            if (low >= 0xc0) /* both letters lie in U+00C0..U+00FF */
                low = (uint8_t)(low << 6 | (*++c & 0x3f));
            bytes[n++] = big ? 0 : low;
            bytes[n++] = big ? low : 0;
        }
        options_default(&o);
        assert_true(parse_bytes(&o, bytes, n));
        assert_int_equal(o.samples, 77);
    }
}

/* Parses key=value. Returns whether it is accepted and in effect. */
static bool takes(const struct option_doc *doc, const char *value)
{
    struct options o;
    char word[80];

    snprintf(word, sizeof word, " %s=%s", doc->key, value);
    if (!parse(&o, word))
        return false;
    options_show(&o, o.samples, text_sink());
    bool shown = strcmp(value, doc->standard) != 0 && doc->takes.kind != OPTION_FRACTION;
    if (shown && !strstr(text, word))
        fail_msg("%s is not in effect:%s", word, text);
    return true;
}

/* Each word of a list is accepted, and so are both ends of a range and no number beyond them. */
TEST(documented_values_are_accepted)
{
    const struct option_doc *docs;
    size_t n = options_docs(&docs);

    for (size_t i = 0; i < n; i++) {
        char values[200], number[24], *rest = values;
        strcpy(values, docs[i].values);
        for (char *value; (value = strsep(&rest, "|")) != NULL;) {
            unsigned long long low, high;
            if (value[strspn(value, "abcdefghijklmnopqrstuvwxyz_")] == '\0')
                assert_true(takes(&docs[i], value));
            if (sscanf(value, "%llu..%llu", &low, &high) != 2)
                continue;
            for (int beyond = 0; beyond <= 1; beyond++) {
                snprintf(number, sizeof number, "%llu", low - beyond);
                assert_int_equal(takes(&docs[i], number), !beyond);
                snprintf(number, sizeof number, "%llu", high + beyond);
                assert_int_equal(takes(&docs[i], number), !beyond);
            }
        }
    }
}

/* Each documented default is a value that the key takes, and the one that it has. */
TEST(documented_defaults_are_in_effect)
{
    struct options o, unset;
    const struct option_doc *docs;
    size_t n = options_docs(&docs);

    options_default(&unset);
    for (size_t i = 0; i < n; i++) {
        char word[80];
        strcat(strcat(strcpy(word, docs[i].key), "="), docs[i].standard);
        assert_true(options_knows(word));
        assert_true(parse(&o, word));
        o.given = 0;
        if (memcmp(&o, &unset, sizeof o) != 0)
            fail_msg("%s is not the default", word);
    }
    assert_true(options_knows("help") && options_knows("list") && options_knows("samples="));
    assert_false(options_knows("samples") || options_knows("root=/dev/sda1") || options_knows(""));
}

/* It means several words, at its place: later words win. */
TEST(the_word_datasheet_sets_suites_and_cores)
{
    assert_true(options_knows("datasheet"));
    assert_true(parse(&o, "suite=calls datasheet"));
    assert_string_equal(o.suite, "insn,memory,limits");
    assert_string_equal(o.cores, "types");
    assert_true(options_give(&o, "suite") && options_give(&o, "cores"));
    assert_true(parse(&o, "datasheet suite=memory cores=2"));
    assert_string_equal(o.suite, "memory");
    assert_string_equal(o.cores, "2");
    refused("datasheet=1", SAYS("datasheet=1", "no such word"));
    refused("datashet", SAYS("did you mean datasheet?"));
}
