/*
 * The same engine and suites as a Linux program: a second implementation of bench/api/platform.h,
 * from the command line to the verdict. It reports what a process cannot have (interrupts off, no
 * other programs).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "bench/run/run.h"
#include "lib/text/fmt.h"
#include "hosted/platform/area.h"
#include "hosted/platform/clock.h"
#include "hosted/platform/cpus.h"
#include "hosted/platform/counter.h"
#include "hosted/platform/exit_guard.h"
#include "hosted/platform/facts.h"
#include "hosted/platform/fault.h"
#include "hosted/platform/guard.h"
#include "hosted/platform/memory.h"
#include "hosted/platform/output.h"
#include "hosted/platform/process.h"
#include "lib/config/status.h"
#include "hosted/platform/step.h"
#include "hosted/platform/events.h"
#include "hosted/words.h"

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
        .clock = clock_source,
        .cycle = counter_source,
        .retired = counter_retired,
        .code = h->memory.code,
        .data = h->memory.data,
        .code_write = memory_code_write,
        .code_exec = memory_code_exec,
        .memory = h->memory.samples,
        .out = output(),
        .stop_key = stop_key,
        .stop_keys = "Ctrl-C",
        .show = show,
        .row_begin = row_begin,
        .row_longer = guard_row_longer,
        .row_end = row_end,
        .row_waits = guard_row_waits,
        .row_ran = guard_row_ran,
        .guarded = guard_call,
        .step = step_counted,
        .text = (uint64_t)__executable_start,
        .text_size = (uint64_t)etext - (uint64_t)__executable_start,
        .nmis = events_migrations,
        .timer_interrupts = clock_timer_interrupts,
        .row_keep = events_keep,
        .kept = {.record = events_record},
        .lacks = lacks,
        .cpuid = process_cpuid,
        .area = area_map,
        .area_execute = area_execute,
        .area_free = area_unmap,
    };
    h->platform.cores = cores_open(&h->platform, (struct exchange *)(void *)h->memory.samples);
}

static void head(void *ctx, const struct run_facts *run, const struct probe *probe)
{
    struct hosted *h = ctx;

    facts_report(&h->platform, run, probe, &h->process, &h->clock, h->has_words, &h->shown.essence,
                 &h->report);
}

static void left(void *ctx, const struct run_facts *run)
{
    struct hosted *h = ctx;

    (void)run;
    facts_events(&h->shown.essence, &h->report);
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
    unsigned cores;

    if (words_usage(argc, argv))
        return leave(STATUS_SUCCESS);
    h.has_words = argc > 1;
    sink_buf_init(&text, error, sizeof error);
    cpu_decode(&h.cpu, process_cpuid, NULL);
    bool right = words_take(&h.options, argc, argv, &h.cpu, &text.sink);
    output_report(&h.report, h.options.format);
    if (!right)
        return refuse(error, STATUS_BAD_OPTIONS);
    if (words_answer(&h.options, &h.cpu))
        return leave(STATUS_SUCCESS);
    fault_catch(end_by_fault); /* the user may stop it from here on */
    output_watch();
    exit_guard_open("baretick", "a body");
    if (!process_pin(&h.process, &text.sink))
        return refuse(error, STATUS_BAD_OPTIONS);

    const int *cpus = cores_of_process(&h.process, &cores);
    h.memory = memory_map(bench_memory_need(&h.options, cores));
    if (h.memory.what) {
        fmt(&text.sink, "%s: %s", h.memory.what, strerror(h.memory.error));
        return refuse(error, STATUS_FAULTED);
    }
    process_settle(&h.process);
    h.clock = clock_measure(&h.cpu);
    guard_open(h.options.deadline, h.clock.hz);
    if (!events_open(cpus, cores, h.cpu.rdtscp)) {
        fmt(&text.sink, "no memory to note what happens to %u CPUs: %s", cores, strerror(errno));
        return refuse(error, STATUS_FAULTED);
    }
    settle_platform(&h);
    memory_on_stack(&h.memory, measure, &h);
    if (h.status == STATUS_BAD_OPTIONS)
        return refuse(h.refused, h.status);
    return leave(h.status);
}

int main(int argc, char **argv)
{
    exit_guard_end(run(argc, argv));
}
