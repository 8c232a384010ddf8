#include "tests/hosted/facts.h"
#include <string.h>
#include <sys/utsname.h>
#include "bench/head.h"
#include "lib/fmt.h"
#include "lib/num.h"
#include "tests/hosted/witness.h"

/* The system sets DE_CFG bit 1 on AMD's older families (kernel/lfence.h), but a process cannot
 * read it. */
static const char *lfence(const struct cpu *c)
{
    return c->lfence_always_serializing ? "always" : "unknown";
}

static void show_wishes(const struct process *p, struct sink *out)
{
    fmt(out, "process   on CPU %d of %d;", p->cpu, p->cpus);
    for (unsigned i = 0; i < PROCESS_WISHES; i++)
        fmt(out, "%s %s%s", i ? "," : "", p->wish[i].had ? "" : "NOT ", process_wish_names[i]);
    fmt(out, "\r\n");
}

static void show_tsc(const struct hosted_clock *c, const struct engine *e, struct sink *out)
{
    fmt(out, "tsc       ");
    if (c->hz) {
        head_mhz(out, (double)c->hz);
        fmt(out, " by %s", hosted_source_names[c->used]);
    } else {
        fmt(out, "frequency unknown, so there are no ns");
    }
    fmt(out, "; %s; step ", e->p->cpu->tsc_invariant ? "invariant" : "not said to be invariant");
    num_f64(out, e->step, e->step == (double)(uint64_t)e->step ? 0 : 2, 0);
    fmt(out, e->step == 1 ? " tick\r\n" : " ticks\r\n");
}

static void show_head(const struct engine *e, const struct probe *p, const struct process *process,
                      const struct hosted_clock *clock, const char *from, struct sink *out)
{
    struct utsname u;
    head_show(e, p, out);
    head_show_cpu(e->p->cpu, "", out);
    if (uname(&u) == 0)
        fmt(out, "system    %s %s\r\n", u.sysname, u.release);
    show_wishes(process, out);
    show_tsc(clock, e, out);
    head_show_timers(e, out);
    head_show_settings(e, lfence(e->p->cpu), from, out);
}

static void record_process(const struct process *p, struct json *j)
{
    struct utsname u;
    if (uname(&u) == 0) {
        json_object(j, "system");
        json_str(j, "name", u.sysname);
        json_str(j, "release", u.release);
        json_close(j);
    }
    json_object(j, "process");
    json_u64(j, "cpu", (uint64_t)p->cpu);
    json_u64(j, "cpus", (uint64_t)p->cpus);
    for (unsigned i = 0; i < PROCESS_WISHES; i++)
        json_bool(j, process_wish_names[i], p->wish[i].had);
    json_close(j);
}

static void record_tsc(const struct hosted_clock *c, const struct engine *e, struct json *j)
{
    json_object(j, "tsc");
    if (c->hz) {
        json_u64(j, "hz", c->hz);
        json_str(j, "source", hosted_source_names[c->used]);
    }
    json_bool(j, "invariant", e->p->cpu->tsc_invariant);
    json_f64(j, "step_ticks", e->step, 3);
    if (e->p->cpu->tsc_nominal_hz)
        json_u64(j, "nominal_hz", e->p->cpu->tsc_nominal_hz);
    json_array(j, "sources");
    for (unsigned i = 0; i < HOSTED_SOURCES; i++) {
        json_object(j, NULL);
        json_str(j, "name", hosted_source_names[i]);
        if (c->source[i].known) {
            json_u64(j, "hz", c->source[i].hz);
            json_f64(j, "error_hz", c->source[i].error_hz, 0);
            json_f64(j, "off_ppm", clock_ppm(c, i), 2);
        } else {
            json_str(j, "why_not", c->source[i].why_not);
        }
        json_close(j);
    }
    json_close(j);
    json_close(j);
}

static void record_run(const struct engine *e, const struct probe *p, const struct process *process,
                       const struct hosted_clock *clock, const char *from, struct report *r)
{
    struct json j;
    if (!report_record(r, &j, "run"))
        return;
    head_record(e, p, &j);
    record_process(process, &j);
    head_record_cpu(e->p->cpu, lfence(e->p->cpu), &j);
    record_tsc(clock, e, &j);
    head_record_timers(e, &j);
    head_record_settings(e, from, &j);
    json_end(&j);
}

static void warn_wishes(const struct process *p, struct report *r)
{
    static const char *const without[PROCESS_WISHES] = {
        [PROCESS_PINNED] = "the process is not pinned to a CPU and may be moved",
        [PROCESS_LOCKED] = "its memory is not locked and may be paged out",
        [PROCESS_FIFO] = "it is no real-time process, so that others take its CPU",
    };
    for (unsigned i = 0; i < PROCESS_WISHES; i++) {
        char text[160];
        if (p->wish[i].had)
            continue;
        fmt_buf(text, sizeof text, "%s: %s", without[i], strerror(p->wish[i].error));
        report_event(r, "warning", text);
    }
}

static void warn_settings(const struct options *o, struct report *r)
{
    if (o->turbo != SETTING_KEEP || o->prefetch != SETTING_KEEP || o->dma != SETTING_KEEP ||
        o->freq != FREQ_KEEP)
        report_event(r, "warning",
                     "turbo=, prefetch=, freq= and dma= need ring 0; a process has ring 3: all is "
                     "as found");
}

void facts_report(const struct engine *e, const struct probe *p, const struct process *process,
                  const struct hosted_clock *clock, bool has_words, struct report *r)
{
    const char *from = has_words ? "command line" : "defaults";
    if (report_table(r))
        show_head(e, p, process, clock, from, r->out);
    record_run(e, p, process, clock, from, r);
    warn_wishes(process, r);
    warn_settings(e->o, r);
    head_warn_timers(e, r);
    if (e->execution == EXEC_EMULATED)
        report_event(r, "warning", "figures are noise: an emulator executes this code");
    if (!e->p->cpu->tsc_invariant && e->execution == EXEC_SILICON)
        report_event(r, "warning",
                     "the TSC is not said to be invariant (CPUID 8000_0007 EDX[8]): ns may be "
                     "wrong");
}

void facts_witnessed(struct report *r)
{
    struct witness_counts c = witness_total();
    char text[160];
    struct sink_buf line;
    sink_buf_init(&line, text, sizeof text);
    fmt(&line.sink,
        "while rows were measured: %llu times another program had the CPU, %llu moves to another "
        "CPU",
        (unsigned long long)(c.voluntary + c.involuntary), (unsigned long long)c.migrations);
    if (c.steal_ms == c.steal_ms) {
        fmt(&line.sink, ", ");
        num_f64(&line.sink, c.steal_ms, 0, 0);
        fmt(&line.sink, " ms stolen by the hypervisor");
    }
    report_event(r, "process", text);
}
