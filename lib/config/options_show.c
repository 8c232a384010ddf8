#include "lib/config/options.h"

#include "lib/text/fmt.h"
#include "lib/text/json.h"
#include "lib/text/mem.h"
#include "lib/text/str.h"

void options_help(struct sink *out)
{
    const struct option_doc *keys;
    size_t n = options_docs(&keys);

    fmt(out,
        "baretick: a micro-benchmark that boots. Options are words in baretick.conf on\r\n"
        "the boot volume and in the load options, which have priority.\r\n\r\n"
        "  help\r\n      print this text and end\r\n"
        "  list\r\n      print the suites, their rows and the timers that work here, and end\r\n"
        "  datasheet\r\n      measure a datasheet of the CPU:");
    for (const char *const *means = datasheet_words; *means; means++)
        fmt(out, " %s", *means);
    fmt(out, "\r\n");
    for (size_t i = 0; i < n; i++)
        fmt(out, "  %s=%s\r\n      %s (default %s)\r\n", keys[i].key, keys[i].values,
            keys[i].meaning, keys[i].standard);
    fmt(out, "\r\nNumbers are decimal, or hexadecimal after 0x.\r\n"
             "QEMU's isa-debug-exit gets 1: success, 2: a check failed, 3: bad options,\r\n"
             "4: the machine faulted, 5: stopped, 6: the report could not be written. QEMU\r\n"
             "then exits with 3, 5, 7, 9, 11, 13.\r\n");
}

static void record_one(const struct options *o, const struct option_doc *k, struct json *j)
{
    char text[OPTION_VALUE_TEXT];
    const char *value = option_value_text(o, k, text);
    uint32_t number;

    if (option_value_number(o, k, &number)) {
        json_u64(j, k->key, number);
    } else if (k->takes.kind == OPTION_FRACTION) {
        json_member(j, k->key, JSON_FRACTION);
        json_raw(j, value, strlen(value));
    } else {
        json_str(j, k->key, value);
    }
}

void options_show(const struct options *o, uint32_t samples, struct sink *out)
{
    const struct option_doc *keys;
    size_t n = options_docs(&keys);
    struct options standard;
    char is[OPTION_VALUE_TEXT], was[OPTION_VALUE_TEXT];

    options_default(&standard);
    fmt(out, "suite=%s bench=%s samples=%u", o->suite, o->bench, samples);
    for (size_t i = 0; i < n; i++) {
        const struct option_doc *k = &keys[i];
        const char *value = option_value_text(o, k, is);
        bool shown = str_eq(k->standard, "*") || str_eq(k->key, "samples");
        if (!shown && !str_eq(value, option_value_text(&standard, k, was)))
            fmt(out, " %s=%s", k->key, value);
    }
}

void options_record(const struct options *o, struct json *j)
{
    const struct option_doc *keys;
    size_t n = options_docs(&keys);

    json_object(j, "options");
    for (size_t i = 0; i < n; i++)
        record_one(o, &keys[i], j);
    json_close(j);
}
