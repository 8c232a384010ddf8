#include "bench/api/declare.h"
#include "bench/output/method_show.h"
#include "lib/stats/mathx.h"
#include "bench/output/per_op.h"
#include "lib/config/options.h"
#include "lib/text/decimal.h"
#include "lib/text/fmt.h"

/* --- the table -------------------------------------------------------------------------------- */

void method_heading(struct report *r, const struct run_facts *run, const char *suite)
{
    enum method method = run->o->method;

    fmt(r->out, "\r\n%-24s       %s: ", "", method_names[method]);
    if (method == METHOD_ADAPTIVE)
        fmt(r->out, "one long stretch");
    else
        fmt(r->out, "%s a window",
            units_are_instructions(run) ? "instructions" : "ticks of the TSC");
    fmt(r->out, "\r\n%-24s", suite);
    columns_heading(r, run);
}

static void note_ensembles(struct report *r, const char *of, const struct ensemble_result *s)
{
    const struct {
        bool holds;
        const char *else_;
    } tests[] = {{s->same_minimum, "the minima differ by more than a step"},
                 {s->same_variance, "the variances differ by more than chance"},
                 {s->same_mean, "the means differ by more than chance"},
                 {s->uncorrelated, "neighbours are correlated"}};
    const char *between = "";
    if (s->ergodic || s->ensembles == 0)
        return;
    fmt(r->out, "  ^ not ergodic, %s: ", of);
    for (unsigned i = 0; i < sizeof tests / sizeof *tests; i++) {
        if (tests[i].holds)
            continue;
        fmt(r->out, "%s%s", between, tests[i].else_);
        between = "; ";
    }
    fmt(r->out, "\r\n");
}

static void note_interrupts(struct report *r, const struct run_facts *run, const char *of,
                            const struct method_side *s)
{
    if (s->interrupts == 0)
        return;
    num_fmt(r->out,
            "  ^ %s: %llu timer interrupts occurred in its windows and were subtracted: %.0f ticks "
            "each\r\n",
            of, (unsigned long long)s->interrupts, run->compensate.cost.cost);
}

static void note_kbest(struct report *r, const char *of, const struct kbest *k)
{
    if (!k->converged && k->taken > 0)
        fmt(r->out, "  ^ %s: the %u smallest of %llu samples do not lie within epsilon=\r\n", of,
            k->k, (unsigned long long)k->taken);
}

static void note_adaptive(struct report *r, const struct run_facts *run,
                          const struct method_result *m)
{
    if (m->state == ADAPTIVE_MOST)
        fmt(r->out, "  ^ shorter than target=: this row can do no more operations in one go\r\n");
    if (m->clock_failed && run->clock.used)
        fmt(r->out, "  ^ %llu readings of the clock %s failed\r\n",
            (unsigned long long)m->clock_failed, run->clock.used->name);
}

void method_notes(struct report *r, const struct run_facts *run, const struct row *row)
{
    const struct method_result *m = &row->method;

    if (m->method == METHOD_ENSEMBLES) {
        note_ensembles(r, "the body", &m->body.ensemble);
        note_ensembles(r, "what is subtracted", &m->empty.ensemble);
    } else if (m->method == METHOD_KBEST) {
        note_interrupts(r, run, "the body", &m->body);
        note_interrupts(r, run, "what is subtracted", &m->empty);
        note_kbest(r, "the body", &m->body.kbest);
        note_kbest(r, "what is subtracted", &m->empty.kbest);
    } else if (m->method == METHOD_ADAPTIVE) {
        note_adaptive(r, run, m);
    }
    if (m->doubt)
        fmt(r->out, "  ^ %s\r\n", m->doubt);
}

/* --- the record ------------------------------------------------------------------------------- */

static void record_side(struct json *j, const struct run_facts *run, const char *name,
                        enum method method, const struct method_side *s)
{
    const struct ensemble_result *e = &s->ensemble;

    if (s->all.n == 0)
        return;
    json_object(j, name);
    json_u64(j, "n", s->all.n);
    EXTREMES(FIELD, "", s->least, s->greatest, s->all.mean, moments_sd(&s->all))
    if (method == METHOD_KBEST) {
        SMALLEST(FIELD, "", s, run->compensate.cost.known)
    }
    if (method == METHOD_ENSEMBLES) {
        json_u64(j, "ensembles", e->ensembles);
        ENSEMBLES(FIELD, "", e)
    }
    json_close(j);
}

void method_record(struct json *j, const struct run_facts *run, const struct row *row)
{
    static const char *const states[] = {[ADAPTIVE_MORE] = "more",
                                         [ADAPTIVE_DONE] = "done",
                                         [ADAPTIVE_MOST] = "most",
                                         [ADAPTIVE_NO_CLOCK] = "no clock"};
    const struct method_result *m = &row->method;
    const struct bench *b = row->out.bench;
    bool ran = row->out.status != ROW_UNSUPPORTED && !row->out.ended,
         adaptive = m->method == METHOD_ADAPTIVE, counted = units_are_instructions(run);
    double n = (double)m->operations, cycles = row->figure.cycles.theta;

#include "bench/api/fields/row_methods.def"
}

/* --- the bare windows ------------------------------------------------------------------------- */

static void show_bare(struct report *r, const struct run_facts *run,
                      const struct bare_window window[RECIPE_COUNT])
{
    fmt(r->out, "\r\n%-24s       bare windows in ensembles: %s a window\r\n", "",
        units_are_instructions(run) ? "instructions" : "ticks of the TSC");
    fmt(r->out, "%-24s       M: ensembles that were taken, within one second per recipe\r\n", "");
    fmt(r->out, "%-24s %5s", "recipe", "M");
    columns_ensembles(r, run, NULL);
    fmt(r->out, "\r\n");
    for (unsigned i = 0; i < RECIPE_COUNT; i++) {
        const struct ensemble_result *s = &window[i].side.ensemble;
        fmt(r->out, "%-24s", recipe_names[i]);
        if (window[i].why_not) {
            fmt(r->out, " not on this CPU: %s\r\n", window[i].why_not);
            continue;
        }
        fmt(r->out, " %5llu", (unsigned long long)s->ensembles);
        columns_ensembles(r, run, s);
        fmt(r->out, "\r\n");
        note_ensembles(r, "the bare window", s);
    }
}

void method_bare(struct report *r, const struct run_facts *run,
                 const struct bare_window window[RECIPE_COUNT])
{
    struct json line, *j = &line;

    if (report_table(r)) {
        report_fresh_line(r);
        show_bare(r, run, window);
    }
    for (unsigned i = 0; i < RECIPE_COUNT; i++) {
        if (!report_record(r, j, "bare_window"))
            return;
#include "bench/api/fields/bare_window.def"
        json_end(j);
    }
}
