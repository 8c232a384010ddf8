#include "hosted/words.h"
#include "bench/api/registry.h"
#include "bench/api/report.h"
#include "bench/objects/objects.h"
#include "bench/api/survey.h"
#include "bench/api/chain.h"
#include "bench/api/tsc.h"
#include "bench/output/head.h"
#include "lib/text/words.h"
#include "lib/config/options.h"
#include "lib/text/fmt.h"
#include "lib/text/mem.h"
#include "lib/text/str.h"
#include "hosted/platform/clock.h"
#include "hosted/platform/counter.h"
#include "hosted/platform/folder.h"
#include "hosted/platform/output.h"

/* The shell has already handled blanks, quotes and comments: an argument is a whole word. */
static void as_word(struct word *w, const char *argument)
{
    size_t n = strlen(argument);
    struct utext text;
    int32_t code;

    *w = (struct word){.n = n, .cut = n >= sizeof w->at};
    if (w->cut)
        w->n = sizeof w->at - 1;
    memcpy(w->at, argument, w->n);
    utext_open_as(&text, argument, n, UTEXT_UTF8);
    while ((code = utext_next(&text)) != UTEXT_END)
        w->bad = w->bad || code == UTEXT_BAD;
}

/* Takes the format, which a refusal also obeys, wherever the word is. Errors in it are ignored. */
static void take_format(struct options *o, int argc, char **argv)
{
    struct sink_buf unread;
    struct word word;
    char text[256];

    sink_buf_init(&unread, text, sizeof text);
    for (int i = 1; i < argc; i++) {
        as_word(&word, argv[i]);
        if (str_starts(argv[i], "format="))
            (void)options_take(o, &word, "command line", "word", (unsigned)i, &unread.sink);
    }
}

/* Suggests --version, which only this program has, so the words of a file never suggest it. */
static void ask_version(const char *word, struct sink *err)
{
    struct near x = near_to(word, strlen(word));

    near_try(&x, "version", strlen("version"));
    near_ask(&x, "--", "", err);
}

bool words_take(struct options *o, int argc, char **argv, const struct cpu *cpu, struct sink *err)
{
    struct word word;

    options_default(o);
    for (int i = 1; i < argc; i++) {
        as_word(&word, argv[i]);
        if (!options_take(o, &word, "command line", "word", (unsigned)i, err)) {
            ask_version(argv[i], err);
            take_format(o, argc, argv);
            return false;
        }
    }
    if (o->help)
        return true;
    objects_open();
    if (!folder_objects(o->objects, err))
        return false;
    if (o->list)
        return true;
    options_settle(o);
    if (!options_check_pairs(o, err))
        return false;
    if (!registry_check(o, err)) {
        objects_explain(err);
        return false;
    }
    return cpu_check_recipe(cpu, o->recipe, err);
}

bool words_usage(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (str_eq(argv[i], "--help") || str_eq(argv[i], "-h")) {
            fmt(output(), "usage: %s [--help] [--version] [WORD ...]\r\n\r\n", argv[0]);
            options_help(output());
            return true;
        }
        if (str_eq(argv[i], "--version")) {
            head_version(output());
            return true;
        }
    }
    return false;
}

/* Tries the timers, so the TSC's frequency is measured first. r: NULL without records. */
static void list(const struct cpu *cpu, struct sink *out, struct report *r)
{
    struct timer_found found[CLOCK_IDS], cycle[CYCLE_IDS];

    clock_measure(cpu);
    timer_survey(found, CLOCK_IDS, clock_source, NULL);
    timer_survey_cycles(cycle, &(struct cycle_survey){
                                   .source = counter_source,
                                   .tsc_hz = found[CLOCK_ID_TSC].hz,
                                   .tsc = tsc_now,
                                   .adds = chain_adds,
                               });
    registry_list(out);
    objects_show(out);
    timer_survey_show("clock", CLOCK_WORDS, found, CLOCK_IDS, out);
    timer_survey_show("cycle", CYCLE_WORDS, cycle, CYCLE_IDS, out);
    if (!r)
        return;
    timer_survey_record("clock", CLOCK_WORDS, found, CLOCK_IDS, r);
    timer_survey_record("cycle", CYCLE_WORDS, cycle, CYCLE_IDS, r);
}

bool words_answer(const struct options *o, const struct cpu *cpu)
{
    struct report r;
    bool records = o->format != FORMAT_AUTO && o->format != FORMAT_TABLE;

    if (!o->help && !o->list)
        return false;
    report_init(&r, output(), o->format);
    report_records_only(&r, false);
    if (o->help)
        options_help(output());
    else
        list(cpu, output(), records ? &r : NULL);
    if (records)
        report_end(&r, false);
    return true;
}
