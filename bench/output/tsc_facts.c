#include "bench/output/tsc_facts.h"
#include "bench/output/head.h"
#include "bench/api/declare.h"
#include "lib/cpu/speeds.h"
#include "lib/text/decimal.h"
#include "lib/text/fmt.h"
#include "lib/text/str.h"

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
    num_fmt(out, ", off by %.1f ppm", off_ppm(t, i));
    if (is_stated(t, i))
        fmt(out, " (%s)", tsc_rate_source_names[t->stated_by]);
    fmt(out, "\r\n");
}

/* --- the stated frequencies ------------------------------------------------------------------- */

struct speed_facts {
    struct speed_stated speed[SPEEDS];
    const char *measured_by; /* the source that they are compared with; NULL: not available */
    const char *why_not;     /* why measured_by is not available */
    double measured_hz, error_hz;
    bool unlike; /* SMBIOS: the first of several processors that differ */
};

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

static void percent(struct sink *out, double v)
{
    num_fmt(out, "%.4f%%", v);
}

static double error_percent(const struct speed_facts *f)
{
    return f->error_hz / f->measured_hz * 100;
}

static void show_known(const struct speed_facts *f, unsigned i, struct sink *out)
{
    const struct speed_stated *s = &f->speed[i];

    num_fmt(out, "          %-16s %.3f MHz", speed_names[i], (double)s->hz / 1e6);
    if (s->compared) {
        fmt(out, ", %s", s->off_ppm < 0 ? "" : "+");
        percent(out, (double)s->off_ppm / 1e4);
        fmt(out, ": %s", speed_verdicts[s->verdict]);
    }
    fmt(out, "\r\n");
}

/* Writes the absent ones that have one reason in one line. */
static void show_absent(const struct speed_facts *f, unsigned i, struct sink *out)
{
    const char *why = f->speed[i].why_not;

    for (unsigned k = SPEED_CPUID16_BASE; k < i; k++)
        if (f->speed[k].hz == 0 && str_eq(f->speed[k].why_not, why))
            return;
    fmt(out, "          absent:");
    for (unsigned k = i; k < SPEEDS; k++)
        if (f->speed[k].hz == 0 && str_eq(f->speed[k].why_not, why))
            fmt(out, "%s %s", k > i ? "," : "", speed_names[k]);
    fmt(out, " (%s)\r\n", why);
}

static void show_speeds(const struct speed_facts *f, struct sink *out)
{
    if (f->measured_by) {
        fmt(out, "speeds    as stated; difference from the TSC measured by %s, +- ",
            f->measured_by);
        percent(out, error_percent(f));
        fmt(out, "\r\n");
    } else {
        fmt(out, "speeds    as stated; not judged: %s\r\n", f->why_not);
    }
    for (unsigned i = 0; i < SPEEDS; i++)
        if (f->speed[i].hz)
            show_known(f, i, out);
    /* The reasons for leaf 15h and the other sources of the TSC are in the lines of the sources. */
    for (unsigned i = SPEED_CPUID16_BASE; i < SPEEDS; i++)
        if (f->speed[i].hz == 0)
            show_absent(f, i, out);
    if (f->unlike)
        fmt(out, "          SMBIOS has several processors, which differ: the first is shown\r\n");
}

/* --- all of it -------------------------------------------------------------------------------- */

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
    num_fmt(out, "; %s; step %.*f",
            cpu->tsc_invariant ? "invariant" : "CPUID does not promise that it is invariant",
            run->step == (double)(uint64_t)run->step ? 0 : 2, run->step);
    fmt(out, run->step == 1 ? " tick\r\n" : " ticks\r\n");
    for (unsigned i = 0; i < t->sources; i++)
        if (!t->hz || i != t->used)
            show_source(t, i, out);
    if (t->has_adjust && t->adjust)
        fmt(out, "          TSC_ADJUST %lld\r\n", (long long)t->adjust);
    struct speed_facts speeds = speed_facts_of(t, run);
    show_speeds(&speeds, out);
}

void tsc_facts_record(const struct tsc_facts *t, const struct run_facts *run, struct json *j)
{
    const struct speed_facts speeds = speed_facts_of(t, run);
    const struct speed_stated *s = speeds.speed;

#include "bench/api/fields/run_tsc.def"
}

void tsc_facts_warn(const struct tsc_facts *t, struct report *r)
{
    unsigned stated = t->sources - 1;

    if (!t->hz || t->used == stated || !is_stated(t, stated))
        return;
    double off = off_ppm(t, stated);
    if (off <= SPEED_TSC_PPM && off >= -SPEED_TSC_PPM)
        return;
    report_eventf(r, "warning",
                  "the CPU states a TSC of %llu Hz (%s); %llu Hz was measured by %s and is used",
                  (unsigned long long)t->source[stated].hz, tsc_rate_source_names[t->stated_by],
                  (unsigned long long)t->hz, t->names[t->used]);
}
