#include "tests/hosted/words.h"
#include "bench/api/registry.h"
#include "bench/api/report.h"
#include "bench/objects/objects.h"
#include "bench/api/survey.h"
#include "bench/measure/chain.h"
#include "bench/measure/tsc.h"
#include "lib/text/fmt.h"
#include "lib/text/mem.h"
#include "lib/text/utext.h"
#include "lib/text/words.h"
#include "tests/hosted/clock.h"
#include "tests/hosted/counter.h"
#include "tests/hosted/folder.h"

/* The shell has taken blanks, quotes and comments: an argument is a word as it stands. */
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

bool words_take(struct options *o, int argc, char **argv, const struct cpu *cpu, struct sink *err)
{
    struct word word;
    options_default(o);
    for (int i = 1; i < argc; i++) {
        as_word(&word, argv[i]);
        if (!options_take(o, &word, "command line", "word", (unsigned)i, err))
            return false;
    }
    if (o->help)
        return true;
    objects_open();
    if (!folder_objects(o->objects, err))
        return false;
    if (o->list)
        return true;
    if (!options_check_pairs(o, err))
        return false;
    if (!registry_check(o, err)) {
        objects_explain(err);
        return false;
    }
    return cpu_check_recipe(cpu, o->recipe, err);
}

/* The timers are tried, so that the TSC's frequency is measured first. */
static void list(const struct cpu *cpu, struct report *r)
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
    registry_list(r->out);
    objects_show(r->out);
    timer_survey_show("clock", CLOCK_WORDS, found, CLOCK_IDS, r->out);
    timer_survey_show("cycle", CYCLE_WORDS, cycle, CYCLE_IDS, r->out);
    timer_survey_record("clock", CLOCK_WORDS, found, CLOCK_IDS, r);
    timer_survey_record("cycle", CYCLE_WORDS, cycle, CYCLE_IDS, r);
}

bool words_answer(const struct options *o, const struct cpu *cpu, const char *error,
                  struct sink *out)
{
    struct report r;
    bool failed = error[0] != 0;
    if (!failed && !o->help && !o->list)
        return false;
    report_init(&r, out, FORMAT_JSONL);
    if (!failed && o->help)
        options_help(out);
    else if (!failed)
        list(cpu, &r);
    if (failed) {
        r.failures++;
        report_event(&r, "error", error);
    }
    report_end(&r, false);
    return true;
}
