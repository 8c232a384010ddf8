#include "hosted/platform/process.h"
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include "bench/api/declare.h"
#include "bench/output/summary.h"
#include "bench/output/head.h"
#include "bench/output/tsc_facts.h"
#include "lib/text/fmt.h"

/* The system sets DE_CFG bit 1 on AMD's older families (kernel/cpu/msr.h), but a process
 * cannot read it. */
static const char *lfence(const struct cpu *c)
{
    return c->lfence_always_serializing ? "always" : "unknown";
}

/* Writes the number of the system's CPU, which no other line has: a report numbers its cores. */
static void show_wishes(const struct process *p, struct sink *out)
{
    fmt(out, "process   core 0 is the system's CPU %d", p->cpu);
    if (p->cpus > 1)
        fmt(out, " (may use %d)", p->cpus);
    fmt(out, ";");
    for (unsigned i = 0; i < PROCESS_WISHES; i++)
        fmt(out, "%s %s%s", i ? "," : "", p->wish[i].had ? "" : "NOT ", process_wish_names[i]);
    fmt(out, "\r\n");
}

struct facts {
    struct cpu_facts cpu;
    struct tsc_facts tsc;
    struct board board;
    struct memory_facts memory;
};

static void take_facts(struct facts *f, const struct platform *platform, const struct process *p,
                       const struct hosted_clock *c)
{
    const struct cpu_source here = {process_cpuid, NULL, NULL, NULL};
    struct sysinfo s;

    head_read_cpu(&f->cpu, platform, process_microcode(p->cpu), true, &here);
    f->tsc = (struct tsc_facts){.hz = c->hz,
                                .source = c->source,
                                .names = hosted_source_names,
                                .sources = HOSTED_SOURCES,
                                .used = c->used,
                                .stated_by = c->stated_by};
    process_board(&f->board);
    f->tsc.processors = f->board.asked_processors ? &f->board.processors : NULL;
    f->memory = (struct memory_facts){
        .numa = platform->numa, .bytes = sysinfo(&s) == 0 ? (uint64_t)s.totalram * s.mem_unit : 0};
}

static void show_head(const struct run_facts *run, const struct probe *p,
                      const struct process *process, const struct facts *f, const char *from,
                      struct sink *out)
{
    struct utsname u;

    head_show(run, p, out);
    head_show_cpu(&f->cpu, "", out);
    board_show(&f->board, out);
    if (f->memory.bytes)
        fmt(out, "memory    %llu MiB\r\n", (unsigned long long)(f->memory.bytes >> 20));
    board_show_nodes(f->memory.numa, out);
    if (uname(&u) == 0)
        fmt(out, "system    %s %s\r\n", u.sysname, u.release);
    show_wishes(process, out);
    tsc_facts_show(&f->tsc, run, out);
    head_show_timers(run, out);
    head_show_settings(run, lfence(run->cpu), from, out);
}

static void record_process(const struct process *p, struct json *j)
{
    struct utsname u;
    bool named = uname(&u) == 0;

#include "bench/api/fields/run_process.def"
}

static void record_run(const struct run_facts *run, const struct probe *p,
                       const struct process *process, const struct facts *f, const char *from,
                       struct report *r)
{
    struct json j;

    if (!report_record(r, &j, "run"))
        return;
    head_record(run, p, &j);
    record_process(process, &j);
    board_record(&f->board, &j);
    head_record_cpu(&f->cpu, lfence(run->cpu), &j);
    board_record_memory(&f->board, &f->memory, &j);
    tsc_facts_record(&f->tsc, run, &j);
    head_record_timers(run, &j);
    head_record_settings(run, from, &j);
    json_end(&j);
}

static void warn_wishes(const struct process *p, struct report *r)
{
    static const char *const without[PROCESS_WISHES] = {
        [PROCESS_PINNED] = "the process is not pinned to a CPU and may be moved",
        [PROCESS_LOCKED] = "its memory is not locked and may be paged out",
        [PROCESS_FIFO] = "it has no real-time priority, so other processes may take its CPU",
    };

    for (unsigned i = 0; i < PROCESS_WISHES; i++)
        if (!p->wish[i].had)
            report_eventf(r, "warning", "%s: %s", without[i], strerror(p->wish[i].error));
}

static void warn_settings(const struct options *o, struct report *r)
{
    if (o->turbo != SETTING_KEEP || o->prefetch != SETTING_KEEP || o->dma != SETTING_KEEP ||
        o->freq != FREQ_KEEP)
        report_event(r, "warning",
                     "turbo=, prefetch=, freq= and dma= need ring 0; a process has ring 3: "
                     "nothing was changed");
    if (o->once)
        report_event(r, "warning", "once= has no effect in a process: no boot entry started it");
}

void facts_report(const struct platform *platform, const struct run_facts *run,
                  const struct probe *p, const struct process *process,
                  const struct hosted_clock *clock, bool has_words, struct summary *summary,
                  struct report *r)
{
    const char *from = has_words ? "command line" : "defaults";
    static struct facts f;

    take_facts(&f, platform, process, clock);
    summary_machine(summary, run, platform->cores ? platform->cores->count : 1, &f.board);
    if (report_table(r))
        show_head(run, p, process, &f, from, r->out);
    record_run(run, p, process, &f, from, r);
    tsc_facts_warn(&f.tsc, r);
    warn_wishes(process, r);
    warn_settings(run->o, r);
    head_warn(run, r);
}

void facts_events(struct summary *summary, struct report *r)
{
    struct event_counts c = events_total();
    uint64_t others = c.of[EVENTS_VOLUNTARY] + c.of[EVENTS_INVOLUNTARY];
    char text[160];
    struct sink_buf line;

    sink_buf_init(&line, text, sizeof text);
    fmt(&line.sink,
        "while rows were measured: %llu times another program had the CPU, %llu moves to another "
        "CPU",
        (unsigned long long)others, (unsigned long long)c.of[EVENTS_MIGRATIONS]);
    if (!c.of[EVENTS_NO_STEAL])
        fmt(&line.sink, ", %llu ms stolen by the hypervisor",
            (unsigned long long)c.of[EVENTS_STEAL_MS]);
    report_event(r, "process", text);
    if (others)
        fmt_buf(summary->spoils.process, sizeof summary->spoils.process,
                "%llu %s another program ran", (unsigned long long)others,
                others == 1 ? "time" : "times");
}
