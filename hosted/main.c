/*
 * The same engine and suites as a Linux program: a second implementation of bench/api/platform.h,
 * from the command line to the verdict. It reports what a process cannot have (interrupts off, no
 * other programs).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "bench/api/tsc.h"
#include "bench/api/registry.h"
#include "bench/api/report.h"
#include "bench/api/survey.h"
#include "bench/objects/objects.h"
#include "bench/output/head.h"
#include "bench/run/run.h"
#include "lib/config/options.h"
#include "lib/config/status.h"
#include "lib/cpu/recording.h"
#include "lib/text/fmt.h"
#include "lib/text/str.h"
#include "lib/text/words.h"
#include "hosted/platform/process.h"
#include "hosted/platform/signal_guard.h"

#define ERROR_MAX 2048 /* enough for a list of all rows' names */

extern const char __executable_start[], etext[]; /* defined by ld */

struct hosted {
    struct options options;
    bool has_words;
    struct process process;
    struct cpu cpu;
    struct hosted_clock clock;
    struct memory memory;
    struct platform platform;
    struct report report;
    struct shown shown;
    char refused[ERROR_MAX]; /* errors in the words that only a run can find */
    enum status status;
};

/* --- the words of the command line ------------------------------------------------------------ */

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

/* Takes the words. False: a word is wrong, selects nothing or asks for a recipe that this CPU
 * lacks; the message says which, in the image's words. */
static bool take_words(struct options *o, int argc, char **argv, const struct cpu *cpu,
                       struct sink *err)
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
    if (o->list || o->dump)
        return true;
    registry_settle(o);
    if (!options_check_pairs(o, err))
        return false;
    if (!registry_check(o, err)) {
        objects_explain(err);
        return false;
    }
    return cpu_check_recipe(cpu, o->recipe, err);
}

/* Answers --help, -h or --version as text. These belong to the program, not to the image's words.
 * False: there is no such argument. */
static bool answer_usage(int argc, char **argv)
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

/* Writes what a process can find out for a recording: CPUID on each CPU that it may use. */
static void dump(const struct cpu *cpu, struct sink *out)
{
    static struct recorded_leaves first, other;
    unsigned n = 0;
    cpu_set_t allowed;

    fmt(out, "# source: the word dump of baretick, in a process\n# name: %s\n", cpu->brand);
    if (cpu->hypervisor)
        fmt(out, "# hypervisor: %s\n", cpu->hypervisor_id);
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        CPU_ZERO(&allowed);
    for (int i = 0; i < CPU_SETSIZE; i++) {
        if (!CPU_ISSET(i, &allowed) || process_move(0, i) != 0)
            continue;
        recording_leaves(n == 0 ? &first : &other, process_cpuid, NULL);
        recording_cpuid(out, n, n == 0 ? &first : &other, n == 0 ? NULL : &first);
        n++;
    }
    fmt(out, "# logical_cpus_recorded: %u\n", n);
    fmt(out, "# a process reads no MSRs and no tables: the bootable program records them\n");
}

/* The same as records, or as text. */
static void answer_dump(const struct cpu *cpu, bool records, struct report *r)
{
    struct report_machine lines;

    report_machine_begin(&lines, r);
    dump(cpu, records ? &lines.sink : output());
    report_machine_end(&lines);
}

/* Answers `help`, `list` and `dump` on standard output: as text, and with records if the format
 * asks for them. False: the options ask for a measurement. */
static bool answer(const struct options *o, const struct cpu *cpu)
{
    struct report r;
    bool records = o->format != FORMAT_AUTO && o->format != FORMAT_TABLE;

    if (!o->help && !o->list && !o->dump)
        return false;
    report_init(&r, output(), o->format);
    report_records_only(&r, false);
    if (o->help)
        options_help(output());
    else if (o->list)
        list(cpu, output(), records ? &r : NULL);
    else
        answer_dump(cpu, records, &r);
    if (records)
        report_end(&r, false);
    return true;
}

/* --- the platform ----------------------------------------------------------------------------- */

static void row_begin(const struct platform *p, const char *suite, const char *name, uint64_t ran)
{
    (void)p;
    fault_row(suite, name);
    output_flush();
    events_begin();
    guard_row_begin(ran);
}

static void row_end(const struct platform *p)
{
    (void)p;
    guard_row_end();
    fault_row(NULL, NULL);
    events_end();
}

static bool stop_key(const struct platform *p)
{
    (void)p;
    return fault_interrupted();
}

static void show(const struct platform *p)
{
    (void)p;
    output_flush();
}

static const char *lacks(unsigned needs)
{
    return needs & NEED_RING0 ? "needs ring 0; a process has ring 3" : NULL;
}

static void settle_platform(struct hosted *h)
{
    h->platform = (struct platform){
        .name = "hosted",
        .cpu = &h->cpu,
        .timers.clock = clock_source,
        .timers.cycle = counter_source,
        .timers.retired = counter_retired,
        .user.out = output(),
        .user.stop_key = stop_key,
        .user.stop_keys = "Ctrl-C",
        .user.show = show,
        .row.begin = row_begin,
        .row.end = row_end,
        .image.text = (uint64_t)__executable_start,
        .image.text_size = (uint64_t)etext - (uint64_t)__executable_start,
        .events.timer_interrupts = clock_timer_interrupts,
        .lacks = lacks,
        .cpuid = process_cpuid,
        .areas = process_areas,
    };
}

/* --- the run ---------------------------------------------------------------------------------- */

static void head(void *ctx, const struct run_facts *run, const struct probe *probe)
{
    struct hosted *h = ctx;

    facts_report(&h->platform, run, probe, &h->process, &h->clock, h->has_words, &h->shown.summary,
                 &h->report);
}

static void left(void *ctx, const struct run_facts *run)
{
    struct hosted *h = ctx;

    (void)run;
    facts_events(&h->shown.summary, &h->report);
}

/* Runs on the separate stack. */
static void measure(void *argument)
{
    struct hosted *h = argument;
    const struct run_steps steps = {.ctx = h, .head = head, .left = left};
    static struct engine engine;
    struct sink_buf text;

    sink_buf_init(&text, h->refused, sizeof h->refused);
    h->status =
        bench_run(&engine, &h->platform, &h->options, &steps, &h->report, &h->shown, &text.sink);
}

/* The output goes to standard output; if that is lost, nothing more can be done. */
static int leave(enum status status)
{
    output_flush();
    if (!output_lost())
        return status == STATUS_SUCCESS ? 0 : (int)status;
    fprintf(stderr, "baretick: standard output: %s\n", output_lost());
    return STATUS_CHECK_FAILED;
}

static struct hosted h; /* global, since signal handlers take no context */

static void end_by_fault(const char *message)
{
    run_end_failed(&(struct run_end){0}, &h.report, &h.shown, "fault", message);
}

/* The text goes to stderr, so standard output gets the records only. */
static int refuse(const char *error, enum status status)
{
    fprintf(stderr, "baretick: %s\nNothing was measured.\n", error);
    report_records_only(&h.report, true);
    run_end_failed(&(struct run_end){0}, &h.report, &h.shown, "error", error);
    return leave(status);
}

static int run(int argc, char **argv)
{
    char error[ERROR_MAX] = "";
    struct sink_buf text;

    if (answer_usage(argc, argv))
        return leave(STATUS_SUCCESS);
    h.has_words = argc > 1;
    sink_buf_init(&text, error, sizeof error);
    cpu_decode(&h.cpu, process_cpuid, NULL);
    bool right = take_words(&h.options, argc, argv, &h.cpu, &text.sink);
    output_report(&h.report, h.options.format);
    if (!right)
        return refuse(error, STATUS_BAD_OPTIONS);
    if (answer(&h.options, &h.cpu))
        return leave(STATUS_SUCCESS);
    fault_catch(end_by_fault); /* the user may stop it from here on */
    output_watch();
    exit_guard_open("baretick", "a body");
    if (!process_pin(&h.process, &text.sink))
        return refuse(error, STATUS_BAD_OPTIONS);

    unsigned cores = cores_of_process(&h.process);
    settle_platform(&h);
    h.memory = memory_map(&h.platform, bench_memory_need(&h.options, cores));
    if (h.memory.what) {
        fmt(&text.sink, "%s: %s", h.memory.what, strerror(h.memory.error));
        return refuse(error, STATUS_FAULTED);
    }
    process_settle(&h.process);
    h.clock = clock_measure(&h.cpu);
    guard_open(&h.platform, h.options.deadline, h.clock.hz);
    if (!cores_open(&h.platform)) {
        fmt(&text.sink, "no memory to note what happens to %u CPUs: %s", cores, strerror(errno));
        return refuse(error, STATUS_FAULTED);
    }
    memory_on_stack(&h.memory, measure, &h);
    if (h.status == STATUS_BAD_OPTIONS)
        return refuse(h.refused, h.status);
    return leave(h.status);
}

int main(int argc, char **argv)
{
    exit_guard_end(run(argc, argv));
}
