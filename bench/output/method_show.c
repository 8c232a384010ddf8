#include "bench/api/declare.h"
#include "bench/output/method_show.h"
#include "lib/stats/mathx.h"
#include "bench/output/per_op.h"
#include "lib/config/options.h"
#include "lib/text/decimal.h"
#include "lib/text/fmt.h"

/* --- the table -------------------------------------------------------------------------------- */

#define COLUMNS 5
static const char *const heads[METHOD_COUNT][COLUMNS] = {
    [METHOD_PLAIN] = {"min", "mean", "max", "sd"},
    [METHOD_KBEST] = {"smallest", "K-th", "samples", "agree"},
    [METHOD_ENSEMBLES] = {"least", "max-min", "var(var)", "var(min)", "ergodic"},
};

void method_heading(struct report *r, const struct run_facts *run, const char *suite)
{
    enum method method = run->o->method;

    fmt(r->out, "\r\n%-24s       %s: ", "", method_names[method]);
    if (method == METHOD_ADAPTIVE) {
        fmt(r->out, "one long stretch\r\n%-24s %11s", suite, "operations");
        if (!units_are_instructions(run))
            fmt(r->out, " %9s %12s", "us", "ops/s");
    } else {
        fmt(r->out, "%s a window\r\n%-24s %5s",
            units_are_instructions(run) ? "instructions" : "ticks of the TSC", suite, "ops");
        for (unsigned i = 0; i < COLUMNS && heads[method][i]; i++)
            fmt(r->out, " %8s", heads[method][i]);
    }
    per_op_heading(r, run, "+-");
}

/* Returns operations per second; UNKNOWN: the seconds are not known or not reliable. */
static double per_second(const struct run_facts *run, const struct method_result *m)
{
    if (units_are_instructions(run) || !m->seconds.valid || m->seconds.value <= m->seconds.error)
        return UNKNOWN;
    return (double)m->operations / m->seconds.value;
}

static void show_adaptive(struct report *r, const struct run_facts *run,
                          const struct method_result *m)
{
    fmt(r->out, " %11llu", (unsigned long long)m->operations);
    if (units_are_instructions(run))
        return;
    per_op_number(r, m->seconds.valid ? m->seconds.value * 1e6 : UNKNOWN, 1, 9);
    per_op_number(r, per_second(run, m), 0, 12);
}

static void show_plain(struct report *r, const struct run_facts *run, const struct method_side *s)
{
    per_op_number(r, units_of(run, (double)s->least), 0, 8);
    per_op_number(r, units_of(run, s->all.mean), 1, 8);
    per_op_number(r, units_of(run, (double)s->greatest), 0, 8);
    per_op_number(r, units_of(run, moments_sd(&s->all)), 1, 8);
}

static void show_kbest(struct report *r, const struct run_facts *run, const struct kbest *k)
{
    per_op_number(r, units_of(run, (double)k->smallest[0]), 0, 8);
    per_op_number(r, units_of(run, (double)k->smallest[k->held - 1]), 0, 8);
    fmt(r->out, " %8llu %8s", (unsigned long long)k->taken, k->converged ? "yes" : "NO");
}

/* Writes a number with an exponent if it is large: a variance of variances can have 20 digits. */
static void show_power(struct report *r, double v)
{
    unsigned tens = 0;

    if (!is_known(v) || v < 1e6) {
        per_op_number(r, v, 1, 8);
        return;
    }
    for (; v >= 10; tens++)
        v /= 10;
    fmt(r->out, " ");
    num_f64(r->out, v, 2, tens < 10 ? 6 : 5);
    fmt(r->out, "e%u", tens);
}

/* Writes the columns of ensembles. `ergodic`: of all windows that the figure uses. */
static void show_ensembles(struct report *r, const struct run_facts *run,
                           const struct ensemble_result *s, bool ergodic)
{
    double unit = units_of(run, 1), squared = unit * unit;

    per_op_number(r, (double)s->least * unit, 0, 8);
    per_op_number(r, (double)s->largest_deviation * unit, 0, 8);
    show_power(r, s->variance_of_variances * squared * squared);
    show_power(r, s->variance_of_minima * squared);
    fmt(r->out, " %8s", ergodic ? "yes" : "NO");
}

/* Returns whether both sides are ergodic: the figure is their difference. */
static bool is_ergodic(const struct method_result *m)
{
    return m->body.ensemble.ergodic && (m->empty.all.n == 0 || m->empty.ensemble.ergodic);
}

void method_show(struct report *r, const struct run_facts *run, const struct row *row)
{
    const struct method_result *m = &row->method;

    if (m->method == METHOD_ADAPTIVE) {
        show_adaptive(r, run, m);
    } else {
        fmt(r->out, " %5u", row->out.bench->ops);
        if (m->body.all.n == 0)
            return;
        if (m->method == METHOD_PLAIN)
            show_plain(r, run, &m->body);
        else if (m->method == METHOD_KBEST)
            show_kbest(r, run, &m->body.kbest);
        else
            show_ensembles(r, run, &m->body.ensemble, is_ergodic(m));
    }
    per_op_show(r, run, row);
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
    for (unsigned i = 0; i < COLUMNS; i++)
        fmt(r->out, " %8s", heads[METHOD_ENSEMBLES][i]);
    fmt(r->out, "\r\n");
    for (unsigned i = 0; i < RECIPE_COUNT; i++) {
        const struct ensemble_result *s = &window[i].side.ensemble;
        fmt(r->out, "%-24s", recipe_names[i]);
        if (window[i].why_not) {
            fmt(r->out, " not on this CPU: %s\r\n", window[i].why_not);
            continue;
        }
        fmt(r->out, " %5llu", (unsigned long long)s->ensembles);
        show_ensembles(r, run, s, s->ergodic);
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
