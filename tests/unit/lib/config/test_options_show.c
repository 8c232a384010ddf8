/* The options in print: `help`, the record, the line of the table. */
#include "lib/config/options.h"

#include "lib/text/json.h"
#include "tests/unit/lib/config/made_options.h"

TEST(help_fits_a_terminal)
{
    const struct option_doc *docs;

    options_help(text_sink());
    size_t n = options_docs(&docs);
    for (size_t i = 0; i < n; i++) {
        char word[80];
        strcat(strcat(strcat(strcpy(word, "  "), docs[i].key), "="), docs[i].values);
        assert_non_null(strstr(text, word));
        assert_non_null(strstr(text, docs[i].meaning));
    }
    for (char *line = text; *line != '\0';) {
        char *end = strstr(line, "\r\n");
        assert_non_null(end);
        assert_true(end - line <= 79);
        assert_ptr_equal(memchr(line, '\n', (size_t)(end - line)), NULL);
        line = end + 2;
    }
}

/* Every key is a member, in the order of the table, as the word that sets it. */
TEST(the_record_has_every_key_in_order)
{
    const char *said = "recipe=serialize suite=\"a,b*\" hist=full clock=hpet,tsc cores=0,2-3 "
                       "share=together warmup=7";
    static const char *const members[] = {
        "\"recipe\":\"serialize\"",
        "\"suite\":\"a,b*\"",
        "\"hist\":\"full\"",
        "\"clock\":\"hpet,tsc\"",
        "\"cores\":\"0,2-3\"",
        "\"share\":\"together\"",
        "\"warmup\":7",
        "\"samples\":\"auto\"",
        "\"bench\":\"*\"",
        "\"target\":10000",
        "\"serial\":\"auto,115200\"",
        "\"takeover\":\"auto\"",
    };
    struct options o;
    struct json j;
    const struct option_doc *docs;
    size_t n = options_docs(&docs);

    assert_true(parse(&o, said));
    json_begin(&j, text_sink(), 0, "run");
    options_record(&o, &j);
    json_end(&j);
    const char *at = strstr(text, ",\"options\":{");
    assert_non_null(at);
    for (size_t i = 0; i < n; i++) {
        char name[40];
        snprintf(name, sizeof name, "%c\"%s\":", i == 0 ? '{' : ',', docs[i].key);
        const char *member = strstr(at, name);
        if (member == NULL)
            fail_msg("%s is not in the record, or not in its place", docs[i].key);
        at = member + 1;
    }
    EACH_CASE (one, members)
        if (strstr(text, *one) == NULL)
            fail_msg("%s is not in %s", *one, text);
}

static void shown(const char *words, const char *want)
{
    struct options o;

    assert_true(parse(&o, words));
    options_show(&o, 64, text_sink());
    assert_string_equal(text, want);
}

TEST(options_that_are_not_default_are_shown)
{
    shown("", "suite=* bench=* samples=64");
    shown("hist=capped seed=1 clock=auto quiet_time=auto gaps_max=off",
          "suite=* bench=* samples=64");
    shown("freq=max serial=com2,9600 quiet_time=5 gaps_max=7 cycle=tsc cores=all turbo=off "
          "seed=4294967295 suite=calls samples=64",
          "suite=calls bench=* samples=64 cycle=tsc seed=4294967295 cores=all turbo=off freq=max "
          "quiet_time=5 gaps_max=7 serial=io:0x2f8,9600");
}
