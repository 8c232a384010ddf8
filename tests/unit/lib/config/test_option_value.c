/* Values of options: fractions, choices, serial ports. */
#include "lib/config/options.h"

#include "lib/text/json.h"
#include "lib/text/str.h"
#include "tests/unit/lib/config/made_options.h"

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
