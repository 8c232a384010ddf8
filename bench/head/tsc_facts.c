#include "bench/head/tsc_facts.h"
#include "bench/head/head.h"
#include "bench/head/speed_show.h"
#include "lib/decimal/json_f64.h"
#include "lib/decimal/num.h"
#include "lib/text/fmt.h"

static double off_ppm(const struct tsc_facts *t, unsigned source)
{
    return ((double)t->source[source].hz / (double)t->hz - 1) * 1e6;
}

static bool is_stated(const struct tsc_facts *t, unsigned source)
{
    return source == t->sources - 1 && t->source[source].known;
}

static void show_source(const struct tsc_facts *t, unsigned i, struct sink *out)
{
    fmt(out, "          %-8s ", t->names[i]);
    if (!t->source[i].known) {
        fmt(out, "not used: %s\r\n", t->source[i].why_not);
        return;
    }
    head_mhz(out, (double)t->source[i].hz);
    fmt(out, ", off by ");
    num_f64(out, off_ppm(t, i), 1, 0);
    fmt(out, " ppm");
    if (is_stated(t, i))
        fmt(out, " (%s)", tsc_rate_source_names[t->stated_by]);
    fmt(out, "\r\n");
}

/* Returns the measured source that is used, else the first measured one; t->sources: none. */
static unsigned measured_source(const struct tsc_facts *t)
{
    unsigned first = t->sources;

    if (t->hz && t->source[t->used].error_hz > 0)
        return t->used;
    for (unsigned i = t->sources; i-- > 0;)
        if (t->source[i].known && t->source[i].error_hz > 0)
            first = i;
    return first;
}

static struct speed_facts speed_facts_of(const struct tsc_facts *t, const struct run_facts *run)
{
    bool counted = run->execution == EXEC_INSTRUCTIONS;
    struct speed_facts f = {.unlike = t->processors && t->processors->unlike,
                            .why_not = counted ? "the TSC counts instructions"
                                               : "no clock measured the TSC"};
    const struct clock_result *stated = &t->source[t->sources - 1];
    struct tsc_rate rate = {stated->known ? stated->hz : 0, t->stated_by};
    unsigned by = measured_source(t);

    if (by < t->sources && !counted) { /* otherwise it has the emulator's frequency */
        f.measured_by = t->names[by];
        f.measured_hz = (double)t->source[by].hz;
        f.error_hz = t->source[by].error_hz;
    }
    speeds(f.speed, run->cpu, rate, t->processors, (uint64_t)f.measured_hz,
           (uint64_t)(f.error_hz + 0.5));
    return f;
}

void tsc_facts_show(const struct tsc_facts *t, const struct run_facts *run, struct sink *out)
{
    const struct cpu *cpu = run->cpu;

    fmt(out, "tsc       ");
    if (t->hz) {
        head_mhz(out, (double)t->hz);
        fmt(out, " by %s", t->names[t->used]);
    } else {
        fmt(out, "frequency unknown: no clock answers, so there are no ns");
    }
    fmt(out, "; %s; step ",
        cpu->tsc_invariant ? "invariant" : "CPUID does not promise that it is invariant");
    num_f64(out, run->step, run->step == (double)(uint64_t)run->step ? 0 : 2, 0);
    fmt(out, run->step == 1 ? " tick\r\n" : " ticks\r\n");
    for (unsigned i = 0; i < t->sources; i++)
        if (!t->hz || i != t->used)
            show_source(t, i, out);
    if (t->has_adjust && t->adjust)
        fmt(out, "          TSC_ADJUST %lld\r\n", (long long)t->adjust);
    struct speed_facts speeds = speed_facts_of(t, run);
    speed_show(&speeds, out);
}

static void record_source(const struct tsc_facts *t, unsigned i, struct json *j)
{
    const struct clock_result *s = &t->source[i];

    json_object(j, NULL);
    json_str(j, "name", t->names[i]);
    if (s->known) {
        json_u64(j, "hz", s->hz);
        json_f64(j, "error_hz", s->error_hz, 0);
        json_f64(j, "off_ppm", off_ppm(t, i), 2);
        if (is_stated(t, i))
            json_str(j, "by", tsc_rate_source_names[t->stated_by]);
    } else {
        json_str(j, "why_not", s->why_not);
    }
    json_close(j);
}

void tsc_facts_record(const struct tsc_facts *t, const struct run_facts *run, struct json *j)
{
    const struct cpu *cpu = run->cpu;

    json_object(j, "tsc");
    if (t->hz) {
        json_u64(j, "hz", t->hz);
        json_str(j, "source", t->names[t->used]);
    }
    if (t->hz && t->judged) {
        json_f64(j, "worst_ppm", t->judged->worst_ppm, 2);
        json_bool(j, "sources_agree", t->judged->agree);
    }
    json_bool(j, "invariant", cpu->tsc_invariant);
    json_f64(j, "step_ticks", run->step, 3);
    if (t->has_adjust)
        json_i64(j, "adjust_ticks", t->adjust);
    if (cpu->tsc_nominal_hz)
        json_u64(j, "nominal_hz", cpu->tsc_nominal_hz);
    json_array(j, "sources");
    for (unsigned i = 0; i < t->sources; i++)
        record_source(t, i, j);
    json_close(j);
    struct speed_facts speeds = speed_facts_of(t, run);
    speed_record(&speeds, j);
    json_close(j);
}

void tsc_facts_warn(const struct tsc_facts *t, struct report *r)
{
    unsigned stated = t->sources - 1;
    char text[160];

    if (!t->hz || t->used == stated || !is_stated(t, stated))
        return;
    double off = off_ppm(t, stated);
    if (off <= SPEED_TSC_PPM && off >= -SPEED_TSC_PPM)
        return;
    fmt_buf(text, sizeof text,
            "the CPU states a TSC of %llu Hz (%s); %llu Hz was measured by %s and is used",
            (unsigned long long)t->source[stated].hz, tsc_rate_source_names[t->stated_by],
            (unsigned long long)t->hz, t->names[t->used]);
    report_event(r, "warning", text);
}
