#include "kernel/report/machine_facts.h"
#include "bench/api/declare.h"
#include "lib/cpu/controls.h"
#include "lib/text/decimal.h"
#include "lib/text/fmt.h"

#define LINE 79 /* columns */

static const char *smi_absent(const struct machine *m)
{
    if (m->cpu.hypervisor)
        return "a hypervisor hides the counter";
    if (m->controls.smi_why_not)
        return m->controls.smi_why_not;
    return "this model has no MSR_SMI_COUNT (MSR 34h)";
}

/* --- the head --------------------------------------------------------------------------------- */

/* Shows the settings; those that are neither requested nor available are only in the record. */
static void show_settings(const struct core_controls *q, struct sink *out)
{
    const char *head = "controls";

    for (unsigned i = 0; i < CONTROL_IDS; i++) {
        const struct control *s = &q->core[0].of[i];
        if (!s->asked && !s->control)
            continue;
        fmt(out, "%-9s %-9s", head, control_names[i]);
        head = "";
        if (s->control) {
            control_text(s, s->found, out);
            if (s->now != s->found) {
                fmt(out, " -> ");
                control_text(s, s->now, out);
            }
            fmt(out, " (%s)%s", s->control, s->in_force ? ", as asked" : "");
            fmt(out, s->asked && !s->in_force ? "; NOT as asked\r\n" : "\r\n");
        } else {
            fmt(out, "not on this CPU: %s\r\n", s->why_not);
        }
        if (s->asked && q->cores > 1)
            fmt(out, "%20son %u of %u cores\r\n", "", q->cores - q->failed[i], q->cores);
    }
}

/* Core clocks as multiples of MPERF's, which has the TSC's clock: of the boot core, and the least
 * and the most of all measured cores. */
struct clock_ratios {
    unsigned cores;
    double boot, least, most;
    double asked; /* 0: freq= does not ask for a multiple */
};

static struct clock_ratios ratios_of(const struct machine *m)
{
    const struct core_controls *q = &m->controls;
    const struct control *s = &q->core[0].of[CONTROL_FREQ];
    struct clock_ratios r = {0};

    for (unsigned i = 0; i < m->cores.count; i++) {
        const struct core_clock *k = &q->core[i].clock;
        if (!k->measured || k->why_not)
            continue;
        double ratio = (double)k->grown.aperf / (double)k->grown.mperf;
        r.boot = i == 0 ? ratio : r.boot;
        r.least = r.cores == 0 || ratio < r.least ? ratio : r.least;
        r.most = r.cores == 0 || ratio > r.most ? ratio : r.most;
        r.cores++;
    }
    if (s->asked && s->base)
        r.asked = (double)s->ratio / s->base;
    return r;
}

static void show_clock(const struct machine *m, struct sink *out)
{
    const struct core_clock *k = &m->controls.core[0].clock;
    const struct control *s = &m->controls.core[0].of[CONTROL_FREQ];
    struct clock_ratios r = ratios_of(m);

    if (k->why_not && !s->asked)
        return;
    if (k->why_not)
        fmt(out, "ratio     not known: %s", k->why_not);
    else
        num_fmt(out, "ratio     APERF/MPERF %.3f while busy", r.boot);
    if (r.cores > 1)
        num_fmt(out, " (%.3f to %.3f on %u cores)", r.least, r.most, r.cores);
    if (r.asked > 0)
        num_fmt(out, "; freq= asked for %.3f", r.asked);
    if (k->has_status) {
        fmt(out, "; status ");
        control_text(s, k->status, out);
    }
    fmt(out, "\r\n");
}

/* Readings of APERF and MPERF are some ns apart. */
#define RATIO_OFF 0.01

void control_facts_warn(const struct machine *m, const struct run_facts *run, struct report *r)
{
    struct clock_ratios k = ratios_of(m);
    char text[120];
    struct sink_buf buf;

    if (run->execution != EXEC_SILICON || k.cores == 0 || k.asked == 0 ||
        (k.least >= k.asked * (1 - RATIO_OFF) && k.most <= k.asked * (1 + RATIO_OFF)))
        return;
    sink_buf_init(&buf, text, sizeof text);
    num_fmt(&buf.sink, "freq= asked for %.3f times the TSC's clock, and busy cores got %.3f",
            k.asked, k.least);
    if (k.most > k.least)
        num_fmt(&buf.sink, " to %.3f", k.most);
    report_event(r, "warning", text);
}

static void show_dma(const struct dma *d, struct sink *out)
{
    if (!d->asked)
        return;
    if (d->why_not) {
        fmt(out, "dma       %s\r\n", d->why_not);
        return;
    }
    const struct pci_stop *s = &d->stopped;
    fmt(out, "dma       %u PCI functions, %u of them bus masters: %u stopped\r\n", s->functions,
        s->masters, s->fate[PCI_STOPPED]);
    for (unsigned i = 0; i < s->list; i++) {
        const struct pci_function *f = &s->listed[i];
        fmt(out, "          %04x:%02x:%02x.%x %04x:%04x class %02x%02x  %s\r\n", f->at.segment,
            f->at.bus, f->at.device, f->at.function, f->vendor, f->device, f->class_code,
            f->subclass, pci_fate_names[f->fate]);
    }
    if (s->masters > s->list)
        fmt(out, "          and %u more\r\n", s->masters - s->list);
}

void control_facts_show(const struct machine *m, struct sink *out)
{
    show_settings(&m->controls, out);
    show_clock(m, out);
    show_dma(&m->dma, out);
    fmt(out, "smi       %s%s\r\n",
        !m->controls.smi_counter ? "not counted: "
        : m->controls.smi_event  ? "counted by event 2Bh of a performance counter"
                                 : "counted by MSR 34h",
        m->controls.smi_counter ? "" : smi_absent(m));
}

/* --- the record ------------------------------------------------------------------------------- */

#define WORDS 40 /* bytes */

static const char *value_text(const struct control *s, uint64_t value, char text[WORDS])
{
    struct sink_buf buf;

    sink_buf_init(&buf, text, WORDS);
    control_text(s, value, &buf.sink);
    return text;
}

static const char *place_text(const struct pci_function *f, char text[WORDS])
{
    fmt_buf(text, WORDS, "%04x:%02x:%02x.%x", f->at.segment, f->at.bus, f->at.device,
            f->at.function);
    return text;
}

static const char *id_text(const struct pci_function *f, char text[WORDS])
{
    fmt_buf(text, WORDS, "%04x:%04x", f->vendor, f->device);
    return text;
}

static const char *class_text(const struct pci_function *f, char text[WORDS])
{
    fmt_buf(text, WORDS, "%02x%02x", f->class_code, f->subclass);
    return text;
}

void control_facts_record(const struct machine *m, struct json *j)
{
    const struct core_controls *q = &m->controls;
    const struct control *of = q->core[0].of;
    const struct dma *d = &m->dma;
    const struct pci_stop *s = &d->stopped;
    const struct core_clock *k = &q->core[0].clock;
    const struct clock_ratios ratios = ratios_of(m);
    char text[WORDS];

#include "bench/api/fields/run_controls.def"
}

/* --- advice ----------------------------------------------------------------------------------- */

static enum seen seen(bool yes)
{
    return yes ? SEEN_YES : SEEN_NO;
}

/* Returns whether two cores that arrived are SMT siblings. */
static enum seen smt(const struct cores *c)
{
    for (unsigned i = 0; i < c->count; i++)
        for (unsigned k = 0; k < i; k++) {
            const struct core_facts *a = &c->facts[i], *b = &c->facts[k];
            if (!a->why_not && !b->why_not && a->package == b->package && a->core == b->core)
                return SEEN_YES;
        }
    return c->why_alone ? SEEN_NOT : SEEN_NO;
}

static struct advice_facts advice_facts_of(const struct machine *m, const struct run_facts *run,
                                           const struct report *r)
{
    const struct control *turbo = &m->controls.core[0].of[CONTROL_TURBO];
    struct advice_facts f = {
        .emulated = seen(run->execution != EXEC_SILICON),
        .virtualised = seen(m->cpu.hypervisor),
        .smt = smt(&m->cores),
        .lfence = m->lfence == LFENCE_UNKNOWN ? SEEN_NOT : seen(m->lfence != LFENCE_COULD_NOT),
        .invariant = seen(m->cpu.tsc_invariant),
    };

    if (turbo->control)
        f.turbo = seen(turbo->now != turbo->mask);
    if (m->controls.has_c1e)
        f.c1e = seen(m->controls.c1e);
    if (r->counts_smis && (r->rows > 0 || r->smis > 0))
        f.smi = seen(r->smis > 0);
    return f;
}

/* Writes lines of at most LINE columns, broken at blanks and indented by 10 columns. */
static void show_advice(const char *head, const char *text, struct sink *out)
{
    while (*text) {
        unsigned fits = 0, n = 0;
        while (n < LINE - 10 && text[n]) {
            n++;
            if (!text[n] || text[n] == ' ')
                fits = n;
        }
        fits = fits ? fits : n;
        fmt(out, "%-9s %.*s\r\n", head, (int)fits, text);
        head = "";
        text += fits;
        while (*text == ' ')
            text++;
    }
}

void control_facts_advise(const struct machine *m, const struct run_facts *run, struct report *r)
{
    struct advice_facts f = advice_facts_of(m, run, r);
    struct advice advice[ADVICE_MAX];
    size_t n = advice_choose(&f, advice);

    for (size_t i = 0; i < n; i++) {
        const struct advice *a = &advice[i];
        struct json line, *j = &line;
        if (report_table(r) && a->change)
            show_advice("advice", a->text, r->out);
        if (!report_record(r, j, "advice"))
            continue;
#include "bench/api/fields/advice.def"
        json_end(j);
    }
}
