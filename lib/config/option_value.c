#include "lib/config/options.h"
#include "lib/text/fmt.h"
#include "lib/text/json.h"
#include "lib/text/mem.h"
#include "lib/text/str.h"
#include "lib/text/words.h"

static void *field(void *o, const struct option_doc *k)
{
    return (char *)o + k->takes.field;
}

static uint32_t number_in(const void *o, const struct option_doc *k)
{
    uint32_t v;

    memcpy(&v, (const char *)o + k->takes.field, sizeof v);
    return v;
}

/* Printable, without blanks and empty patterns. */
static bool is_list(const char *text)
{
    char before = ',';

    for (; *text != '\0'; before = *text++)
        if (*text <= ' ' || *text > '~' || (*text == ',' && before == ','))
            return false;
    return before != ',';
}

/* With a point a fraction of 1, up to six decimals; without one thousandths. In OPTION_ONE. */
static bool take_fraction(const char *text, uint32_t *parts)
{
    uint32_t whole = 0, unit = OPTION_ONE;
    const char *c = text;

    if (str_u32(text, &whole)) {
        *parts = whole * OPTION_THOUSANDTH;
        return whole <= OPTION_ONE / OPTION_THOUSANDTH;
    }
    if ((*c != '0' && *c != '1') || c[1] != '.' || c[2] == '\0')
        return false;
    *parts = *c == '1' ? OPTION_ONE : 0;
    for (c += 2; *c >= '0' && *c <= '9' && unit > 1; c++) {
        unit /= 10;
        *parts += (uint32_t)(*c - '0') * unit;
    }
    return *c == '\0' && *parts <= OPTION_ONE;
}

/* With the necessary number of decimals, at least one. */
static void fraction_text(uint32_t parts, char *text, size_t size)
{
    size_t n = fmt_buf(text, size, "%u.%06u", parts / OPTION_ONE, parts % OPTION_ONE);

    while (text[n - 1] == '0' && text[n - 2] != '.')
        text[--n] = '\0';
}

static bool parse_url(struct upload_choice *c, const char *text)
{
    static const char *const schemes[] = {"http", "https", "tftp"};
    struct url url;
    size_t n;

    if (!url_parse(&url, text) || !str_copy(c->login, sizeof c->login, url.login, url.login_n))
        return false;
    n = strlen(url.path);
    fmt_buf(c->url, sizeof c->url, "%s://%.*s%s%s", schemes[url.scheme], (int)url.host_n, url.host,
            url.path, n > 0 && url.path[n - 1] == '/' ? "" : "/");
    return c->url[strlen(c->url) - 1] == '/'; /* otherwise it was cut */
}

static bool upload_parse(struct upload_choice *c, const char *text)
{
    struct upload_choice parsed = {.kind = UPLOAD_AUTO};

    if (str_eq(text, "off"))
        parsed.kind = UPLOAD_OFF;
    else if (!str_eq(text, "auto")) {
        parsed.kind = UPLOAD_URL;
        if (!parse_url(&parsed, text))
            return false;
    }
    *c = parsed;
    return true;
}

static const char *upload_text(const struct upload_choice *c)
{
    return c->kind == UPLOAD_URL ? c->url : c->kind == UPLOAD_OFF ? "off" : "auto";
}

bool option_value_take(void *o, const struct option_doc *k, const char *text)
{
    uint32_t v = 0;
    const char *at;
    size_t n;

    switch (k->takes.kind) {
    case OPTION_TIMERS:
        return timer_list_parse(field(o, k), k->values, text, &at, &n) == TIMER_LIST_FINE;
    case OPTION_SERIAL:
        return serial_choice_parse(field(o, k), text);
    case OPTION_UPLOAD:
        return upload_parse(field(o, k), text);
    case OPTION_LIST:
        return is_list(text) && str_copy(field(o, k), OPTIONS_LIST_MAX, text, strlen(text));
    case OPTION_FILES:
        return *text && str_copy(field(o, k), OPTIONS_LIST_MAX, text, strlen(text));
    case OPTION_CORES:
        return core_list_parse(&(struct core_list){0}, text) &&
               str_copy(field(o, k), CORE_LIST_TEXT, text, strlen(text));
    case OPTION_NUMBER_OR_WORD:
        if (str_eq(text, k->standard))
            break;
        /* fallthrough */
    case OPTION_NUMBER:
        if (!str_u32(text, &v) || v < k->takes.low || v > k->takes.high)
            return false;
        break;
    case OPTION_FRACTION:
        if (!take_fraction(text, &v))
            return false;
        break;
    case OPTION_CHOICE:
        if (!str_choice(k->values, text, strlen(text), &v))
            return false;
        break;
    }
    memcpy(field(o, k), &v, sizeof v);
    return true;
}

static void explain_timers(const char *words, const char *text, struct sink *out)
{
    struct timer_list l;
    struct near near;
    const char *at;
    size_t n;

    switch (timer_list_parse(&l, words, text, &at, &n)) {
    case TIMER_LIST_FINE:
        return;
    case TIMER_LIST_EMPTY:
        fmt(out, "an item is empty");
        return;
    case TIMER_LIST_UNKNOWN:
        near = near_to(at, n);
        near_try_values(&near, words);
        fmt(out, "it does not contain \"");
        str_escape(out, at, n);
        fmt(out, "\"");
        near_ask(&near, "", "", out);
        return;
    case TIMER_LIST_TWICE:
        fmt(out, "\"");
        str_escape(out, at, n);
        fmt(out, "\" occurs twice");
        return;
    }
}

void option_value_explain(const struct option_doc *k, const char *text, struct sink *err)
{
    struct near near;

    fmt(err, "%s takes ", k->key);
    switch (k->takes.kind) {
    case OPTION_LIST:
        fmt(err,
            "a comma-separated list of names or patterns (* any run, ? any one character), at most "
            "%d bytes",
            OPTIONS_LIST_MAX - 1);
        break;
    case OPTION_FILES:
        fmt(err,
            "on, off or a comma-separated list of patterns, in a process a path, at most %d bytes",
            OPTIONS_LIST_MAX - 1);
        break;
    case OPTION_CORES:
        fmt(err,
            "bsp, all, types, nodes, or numbers from 0 to %d and ranges of them, at most %d bytes",
            CORE_LIST_MAX - 1, CORE_LIST_TEXT - 1);
        break;
    case OPTION_NUMBER_OR_WORD:
        fmt(err, "%s or ", k->standard);
        /* fallthrough */
    case OPTION_NUMBER:
        fmt(err, "a number from %u to %u", k->takes.low, k->takes.high);
        break;
    case OPTION_FRACTION:
        fmt(err,
            "a fraction from 0.0 to 1.0 with at most six decimals, or thousandths from 0 to %u",
            OPTION_ONE / OPTION_THOUSANDTH);
        break;
    case OPTION_CHOICE:
        near = near_to(text, strlen(text));
        near_try_values(&near, k->values);
        fmt(err, "one of %s", k->values);
        near_ask(&near, "", "", err);
        break;
    case OPTION_TIMERS:
        fmt(err, "a comma-separated list of %s, each at most once: ", k->values);
        explain_timers(k->values, text, err);
        break;
    case OPTION_SERIAL:
        fmt(err,
            "%s with a PORT from 0x%x to 0x%x, an ADDR from 0x%llx, a multiple of the WIDTH (1, 2 "
            "or 4), and a STRIDE of 1, 2, 4 or 8, at least WIDTH; all but off also with "
            ",BAUD: %u to %u, a divisor of %u",
            k->values, SERIAL_IO_MIN, SERIAL_IO_MAX, SERIAL_MMIO_MIN, SERIAL_BAUD_MIN,
            SERIAL_BAUD_MAX, SERIAL_BAUD_MAX);
        break;
    case OPTION_UPLOAD:
        fmt(err,
            "auto, off, or the URL of a folder of at most %d bytes: http://[USER:PASSWORD@]HOST/, "
            "https://, or tftp:// with an IPv4 address",
            UPLOAD_FOLDER_MOST - 1);
        break;
    }
}

_Static_assert(SERIAL_CHOICE_TEXT <= OPTION_VALUE_TEXT, "serial= does not fit");

/* Returns the value as in a word, without a login. It may be in `text`, and for a list in `o`. */
static const char *value_text(const void *o, const struct option_doc *k,
                              char text[OPTION_VALUE_TEXT])
{
    const void *at = (const char *)o + k->takes.field;
    const char *word;
    size_t n;

    switch (k->takes.kind) {
    case OPTION_LIST:
    case OPTION_FILES:
    case OPTION_CORES:
        return at;
    case OPTION_NUMBER_OR_WORD:
        if (number_in(o, k) == 0)
            return k->standard;
        /* fallthrough */
    case OPTION_NUMBER:
        fmt_buf(text, OPTION_VALUE_TEXT, "%u", number_in(o, k));
        break;
    case OPTION_FRACTION:
        fraction_text(number_in(o, k), text, OPTION_VALUE_TEXT);
        break;
    case OPTION_CHOICE:
        n = str_alternative(k->values, number_in(o, k), &word);
        str_copy(text, OPTION_VALUE_TEXT, word, n);
        break;
    case OPTION_TIMERS:
        timer_list_text(at, k->values, text);
        break;
    case OPTION_SERIAL:
        serial_choice_text(at, text, OPTION_VALUE_TEXT);
        break;
    case OPTION_UPLOAD:
        return upload_text(at);
    }
    return text;
}

/* --- the options in print --------------------------------------------------------------------- */

void options_help(struct sink *out)
{
    const struct option_doc *keys;
    size_t n = options_docs(&keys);

    fmt(out,
        "baretick: a micro-benchmark that boots. Options are words in baretick.conf on\r\n"
        "the boot volume and in the load options, which have priority.\r\n\r\n"
        "  help\r\n      print this text and end\r\n"
        "  list\r\n      print the suites, their rows and the timers that work here, and end\r\n"
        "  dump\r\n      describe the machine for a bug report, and end\r\n"
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
    const char *value = value_text(o, k, text);
    bool number = k->takes.kind == OPTION_NUMBER || k->takes.kind == OPTION_NUMBER_OR_WORD;

    if (number && value == text) { /* not the word */
        json_u64(j, k->key, number_in(o, k));
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
        const char *value = value_text(o, k, is);
        bool shown = str_eq(k->standard, "*") || str_eq(k->key, "samples");
        if (!shown && !str_eq(value, value_text(&standard, k, was)))
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
