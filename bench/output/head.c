#include "bench/output/head.h"
#include "bench/api/declare.h"
#include "bench/api/kind.h"
#include "bench/api/registry.h"
#include "bench/result/cycles.h"
#include "bench/output/per_op.h"
#include "bench/output/show.h"
#include "build_id.h"
#include "lib/config/options.h"
#include "lib/config/choices.h"
#include "lib/text/decimal.h"
#include "lib/text/fmt.h"
#include "lib/text/str.h"

/* The compiler of the rows; suite `compiler` measures what it does with them. */
#define DIGITS_OF(x) #x
#define DIGITS(x)    DIGITS_OF(x)
#ifdef __clang__
#define COMPILER                                                                                   \
    "clang " DIGITS(__clang_major__) "." DIGITS(__clang_minor__) "." DIGITS(__clang_patchlevel__)
#else
#define COMPILER "gcc " DIGITS(__GNUC__) "." DIGITS(__GNUC_MINOR__) "." DIGITS(__GNUC_PATCHLEVEL__)
#endif

static void show_trust(const struct run_facts *run, const struct probe *p, struct sink *out)
{
    switch (run->execution) {
    case EXEC_INSTRUCTIONS:
        fmt(out,
            "Every figure below counts INSTRUCTIONS, not time: exact and repeatable, but an add\r\n"
            "and a division cost the same. One instruction is %llu ticks of the TSC.\r\n"
            "(seen: %s)\r\n",
            (unsigned long long)run->ticks_per_instruction, p->behave.why);
        break;
    case EXEC_EMULATED:
        fmt(out,
            "WARNING: the figures below are NOISE. An emulator executes this code, and its time\r\n"
            "is not that of any CPU. (seen: %s)\r\n",
            p->behave.why);
        break;
    case EXEC_SILICON:
        fmt(out, "A CPU executes this code. Figures are ticks of its TSC");
        if (run_has_ruler(run)) {
            num_fmt(out, ", %.4f of them a core cycle", run->ticks_per_cycle);
        }
        fmt(out, ".\r\n");
        break;
    }
}

void head_version(struct sink *out)
{
    fmt(out, "baretick %s (%s), compiled by %s\r\n", BARETICK_VERSION, BARETICK_BUILD, COMPILER);
}

void head_show(const struct run_facts *run, const struct probe *p, struct sink *out)
{
    head_version(out);
    show_trust(run, p, out);
}

void head_record(const struct run_facts *run, const struct probe *p, struct json *j)
{
#include "bench/api/fields/run_head.def"
}

void head_read_cpu(struct cpu_facts *f, const struct platform *p, uint32_t microcode, bool others,
                   const struct cpu_source *source)
{
    const struct platform_cores *c = p->cores;
    struct core_place self;

    topology_place(&self, p->cpu, source->cpuid, source->cpuid_ctx);
    cpu_facts_read(f, p->cpu, source, c ? c->place : &self, !others ? 0 : c ? c->count : 1, 0);
    f->microcode = microcode;
}

void head_show_cpu(const struct cpu_facts *f, const char *note, struct sink *out)
{
    const struct cpu *c = f->cpu;

    fmt(out, "\r\ncpu       %s%s%s family %u model %u stepping %u", c->brand,
        c->brand[0] ? "\r\n          " : "", c->vendor_id, c->family, c->model, c->stepping);
    if (f->microcode)
        fmt(out, ", microcode 0x%x", f->microcode);
    fmt(out, "\r\n");
    if (cpu_model_is_masked(c))
        fmt(out, "          its model is masked: no CPU of this model has all of its features\r\n");
    if (c->hypervisor)
        fmt(out, "          under a hypervisor%s%s%s\r\n", c->hypervisor_id[0] ? ", " : "",
            c->hypervisor_id, note);
    cpu_facts_show(f, out);
}

void head_record_cpu(const struct cpu_facts *f, const char *lfence, struct json *j)
{
    const struct cpu *c = f->cpu;

#include "bench/api/fields/run_cpu.def"
    cpu_facts_record(f, j);
}

void head_mhz(struct sink *out, double hz)
{
    num_fmt(out, "%.3f MHz", hz / 1e6);
}

/* Returns why there are no core cycles. */
static const char *left_out(const struct run_facts *run)
{
    if (!run->cycle.source.used)
        return "no source of cycle= starts: core cycles are left out";
    if (cycle_is(&run->cycle, CYCLE_TSC) || cycle_is(&run->cycle, CYCLE_RDTSCP))
        return "core cycles are left out: the TSC's ticks are those of a reference clock";
    return "core cycles are left out, as asked";
}

/* Writes the source of core cycles, the counter next to it, and why others are not used. */
static void show_cycle(const struct run_facts *run, struct sink *out)
{
    const struct cycle *c = &run->cycle;

    timer_show(&c->source, "cycle", out);
    if (c->by == CYCLES_UNKNOWN)
        fmt(out, "          %s\r\n", left_out(run));
    if (c->by == CYCLES_RULER && (c->counter.used || c->counter.refusals))
        timer_show(&c->counter, "counter", out);
}

static void show_compensate(const struct run_facts *run, struct sink *out)
{
    const struct tick_cost *c = &run->compensate.cost;

    if (!c->known)
        return;
    num_fmt(out,
            "timer     an interrupt every %.3f ms, which takes %.0f ticks, smallest of %u;\r\n"
            "          subtracted from each window with a timer interrupt\r\n",
            c->interval * 1e3 / run->tsc_hz, c->cost, c->events);
}

static void show_error(const struct timer *clock, struct sink *out)
{
    if (!clock->tsc_error_hz)
        return;
    num_fmt(out, " +-%.4f%%", (double)clock->tsc_error_hz * 100 / (double)clock->tsc_hz);
}

void head_show_timers(const struct run_facts *run, struct sink *out)
{
    timer_show(&run->clock, "clock", out);
    if (run->clock.used && !str_eq(run->clock.used->name, "tsc")) {
        fmt(out, "          ns use the TSC's frequency by it: ");
        head_mhz(out, run->tsc_hz);
        show_error(run->clock.used, out);
        fmt(out, "\r\n");
    }
    show_cycle(run, out);
    show_compensate(run, out);
}

void head_record_timers(const struct run_facts *run, struct json *j)
{
    const struct timer_choice *counter = run_counter(run);
    const struct tick_cost *c = &run->compensate.cost;

#include "bench/api/fields/run_timers.def"
}

static void warn(void *report, const char *message)
{
    report_event(report, "warning", message);
}

/* Warns of each given option that method= does not use. */
static void warn_words(const struct run_facts *run, struct report *r)
{
    bool used[OPTIONS_NONE + 1] = {false};
    size_t n;
    const struct bench *const *rows = registry(&n);

    for (size_t i = 0; i < n; i++)
        if (registry_selects(run->o, rows[i]))
            used[rows[i]->kind ? rows[i]->kind->options : OPTIONS_WINDOWS] = true;
    const struct options_rows kinds = {.windows = used[OPTIONS_WINDOWS],
                                       .watches = used[OPTIONS_WATCH],
                                       .forms = used[OPTIONS_FORMS],
                                       .curves = used[OPTIONS_CURVES]};
    options_without_effect(run->o, &kinds, warn, r);
}

void head_warn(const struct run_facts *run, struct report *r)
{
    warn_words(run, r);
    if (!run->clock.used)
        report_event(r, "warning", "no clock of clock= initialises: there are no ns");
    if (!run->cycle.source.used)
        report_event(r, "warning", left_out(run));
    if (run->o->instructions == INSTRUCTIONS_OFF && run->execution != EXEC_INSTRUCTIONS)
        report_event(
            r, "warning",
            "instructions=off: whether rows did their work is judged only by their checks");
    if (run->compensate.why_not)
        report_eventf(r, "warning", "compensate=on has no effect: %s", run->compensate.why_not);
    if (run->execution == EXEC_EMULATED)
        report_event(r, "warning", "figures are noise: an emulator executes this code");
    if (!run->cpu->tsc_invariant && run->execution == EXEC_SILICON)
        report_event(r, "warning",
                     "CPUID does not promise that the TSC is invariant (8000_0007 EDX[8]): ns may "
                     "be wrong");
}

void head_show_settings(const struct run_facts *run, const char *lfence, const char *from,
                        struct sink *out)
{
    fmt(out, "recipe    %s%s; LFENCE serialises: %s\r\n", recipe_names[run->recipe],
        run->o->recipe == RECIPE_AUTO ? " (this CPU's default)" : "", lfence);
    witness_show_head(run, out);
    fmt(out, "options   ");
    options_show(run->o, run->samples, out);
    fmt(out, " (from: %s)\r\n", from);
}

void head_record_settings(const struct run_facts *run, const char *from, struct json *j)
{
    const struct witness_facts *w = &run->witness;

#include "bench/api/fields/run_settings.def"
}
