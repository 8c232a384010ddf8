#include "lib/config/options.h"
#include "lib/text/json.h"
#include "lib/text/str.h"
#include "tests/unit/lib/config/made_options.h"

/* Values of options: fractions, choices, serial ports. */

/* A fraction of 1 where there is a point, else thousandths. */
TEST(fractions_are_taken_with_and_without_a_point)
{
    static const struct {
        const char *word, *shown;
        uint32_t parts;
    } good[] = {{"epsilon=0.05", "0.05", 50000},
                {"epsilon=50", "0.05", 50000},
                {"epsilon=0.0", "0.0", 0},
                {"epsilon=0", "0.0", 0},
                {"epsilon=1.0", "1.0", OPTION_ONE},
                {"epsilon=1000", "1.0", OPTION_ONE},
                {"epsilon=1", "0.001", 1000},
                {"epsilon=0.000001", "0.000001", 1},
                {"epsilon=0.123456", "0.123456", 123456}};
    static const char *const bad[] = {"epsilon=1.000001", "epsilon=1001",      "epsilon=0.",
                                      "epsilon=.05",      "epsilon=0.0000001", "epsilon=0,05",
                                      "epsilon=0.05x",    "epsilon=-0.05",     "epsilon=2.0"};
    struct options o;
    EACH_CASE (c, good) {
        char member[40];
        struct json j;
        assert_true(parse(&o, c->word));
        assert_int_equal(o.epsilon, c->parts);
        json_begin(&j, text_sink(), 0, "run");
        options_record(&o, &j);
        json_end(&j);
        snprintf(member, sizeof member, "\"epsilon\":%s,", c->shown);
        assert_non_null(strstr(text, member));
    }
    EACH_CASE (c, bad)
        assert_false(parse(&o, *c));
}

/* Every word of every choice is stored as its place in the list. */
TEST(choices_are_in_order)
{
    const struct option_doc *docs;
    size_t n = options_docs(&docs), words = 0;

    for (size_t i = 0; i < n; i++) {
        const char *word;
        size_t length;
        if (docs[i].takes.kind != OPTION_CHOICE)
            continue;
        for (uint32_t k = 0; (length = str_alternative(docs[i].values, k, &word)) > 0; k++) {
            struct options o;
            char text[64];
            uint32_t stored;
            snprintf(text, sizeof text, "%s=%.*s", docs[i].key, (int)length, word);
            assert_true(parse(&o, text));
            memcpy(&stored, (const char *)&o + docs[i].takes.field, sizeof stored);
            assert_int_equal(stored, k);
            words++;
        }
    }
    assert_true(words > 30);
}

/* An enum and its words come from one list, and so do the report's names. */
TEST(names_are_the_words)
{
    struct options o;
    char text[64];

    for (int r = 0; r <= RECIPE_AUTO; r++) {
        strcat(strcpy(text, "recipe="), recipe_names[r]);
        assert_true(parse(&o, text));
        assert_int_equal(o.recipe, r);
    }
    for (int m = 0; m < METHOD_COUNT; m++) {
        strcat(strcpy(text, "method="), method_names[m]);
        assert_true(parse(&o, text));
        assert_int_equal(o.method, m);
    }
    assert_true(parse(&o, "finish=return layout=sweep"));
    assert_true(o.finish == FINISH_RETURN && o.layout == LAYOUT_SWEEP);
}

TEST(serial_ports_are_taken_and_printed)
{
    const struct {
        const char *text, *again;
    } good[] = {
        {"auto", "auto,115200"},
        {"auto,9600", "auto,9600"},
        {"off", "off"},
        {"com1", "io:0x3f8,115200"},
        {"com2", "io:0x2f8,115200"},
        {"com3", "io:0x3e8,115200"},
        {"com4,50", "io:0x2e8,50"},
        {"io:0x100", "io:0x100,115200"},
        {"io:1016,57600", "io:0x3f8,57600"},
        {"io:0xfff8,115200", "io:0xfff8,115200"},
        {"mmio:0x100000:1:1", "mmio:0x100000:1:1"},
        {"mmio:0xfe03e000:4:4", "mmio:0xfe03e000:4:4"},
        {"mmio:4261666816:2:8,9600", "mmio:0xfe03e000:2:8,9600"},
        {"mmio:0xfffffffffffc0:1:8,115200", "mmio:0xfffffffffffc0:1:8,115200"},
    };
    const char *bad[] = {"",
                         "off,9600",
                         "com0",
                         "com5",
                         "COM1",
                         "com1,",
                         "com1,0",
                         "com1,49",
                         "com1,9601",
                         "com1,115201",
                         "com1,230400",
                         "com1,9600,8n1",
                         "io:",
                         "io:0xff",
                         "io:0xfff9",
                         "io:0x10000",
                         "io:0x103f8",
                         "io:3f8",
                         "mmio:",
                         "mmio:0xfe000000",
                         "mmio:0xfe000000:4",
                         "mmio:0xfe000000:4:",
                         "mmio:0xfe000000:4:4:",
                         "mmio:0xfe000000:4:4:1",
                         "mmio::4:4",
                         "mmio:0xfffff:1:1",
                         "mmio:0xfffffffffffc1:1:1",
                         "mmio:0x100000000fe000000:1:1",
                         "mmio:0xfe000002:4:4",
                         "mmio:0xfe000000:0:1",
                         "mmio:0xfe000000:3:4",
                         "mmio:0xfe000000:8:8",
                         "mmio:0xfe000000:4:2",
                         "mmio:0xfe000000:1:3",
                         "mmio:0xfe000000:1:16",
                         "mmio:0xfe000000:4:4,",
                         "mmio:0xfe000000:4:4,9601",
                         "auto,",
                         "io:0x3f8 ",
                         "io:0x00000000000000000000000000000000000003f8",
                         ",9600"};
    struct serial_choice c, again;
    char text[SERIAL_CHOICE_TEXT];
    EACH_CASE (one, good) {
        assert_true(serial_choice_parse(&c, one->text));
        serial_choice_text(&c, text, sizeof text);
        assert_string_equal(text, one->again);
        assert_true(serial_choice_parse(&again, text));
        assert_memory_equal(&again.address, &c.address, sizeof c.address);
        assert_true(again.kind == c.kind && again.port == c.port && again.baud == c.baud &&
                    again.width == c.width && again.stride == c.stride);
    }
    EACH_CASE (one, bad) {
        memset(&c, 0x5a, sizeof c);
        again = c;
        assert_false(serial_choice_parse(&c, *one));
        assert_memory_equal(&c, &again, sizeof c);
    }
}

/* The options in print: `help`, the record, the line of the table. */

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

/* Values of upload=: the folder ends with a slash, and its login is never shown. */

static struct options o;

static bool takes(const char *value)
{
    char word[2 * URL_MOST];

    snprintf(word, sizeof word, "upload=\"%s\"", value);
    return parse(&o, word);
}

TEST(a_folder_ends_with_a_slash_and_is_shown_without_its_login)
{
    static const struct {
        const char *value, *shown, *login;
        int kind;
    } cases[] = {
        {"http://rack:token@host:8080/reports", "http://host:8080/reports/", "rack:token",
         UPLOAD_URL},
        {"https://host/reports/", "https://host/reports/", "", UPLOAD_URL},
        {"tftp://10.0.2.2", "tftp://10.0.2.2/", "", UPLOAD_URL},
        {"off", "off", "", UPLOAD_OFF},
        {"auto", "auto", "", UPLOAD_AUTO},
    };
    EACH_CASE (c, cases) {
        char member[100];
        struct json j;
        assert_true(takes(c->value));
        assert_int_equal(o.upload.kind, c->kind);
        assert_string_equal(o.upload.login, c->login);
        json_begin(&j, text_sink(), 0, "run");
        options_record(&o, &j);
        json_end(&j);
        snprintf(member, sizeof member, "\"upload\":\"%s\"", c->shown);
        assert_non_null(strstr(text, member));
    }
}

TEST(other_values_are_refused_and_change_nothing)
{
    static const char *const cases[] = {"", "on", "host/reports", "ftp://host/", "http://"};
    char no_room_for_the_slash[URL_MOST] = "http://h/", long_login[URL_MOST] = "http://";

    EACH_CASE (one, cases) {
        assert_false(takes(*one));
        assert_int_equal(o.upload.kind, UPLOAD_AUTO);
    }
    memset(no_room_for_the_slash + 9, 'x', UPLOAD_FOLDER_MOST - 10);
    assert_false(takes(no_room_for_the_slash));
    no_room_for_the_slash[UPLOAD_FOLDER_MOST - 2] = '\0';
    assert_true(takes(no_room_for_the_slash));
    memset(long_login + 7, 'x', UPLOAD_LOGIN_MOST);
    strcpy(long_login + 7 + UPLOAD_LOGIN_MOST, "@h/");
    assert_false(takes(long_login));
    assert_int_equal(o.upload.kind, UPLOAD_AUTO);
}
