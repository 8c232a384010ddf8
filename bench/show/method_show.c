#include "bench/show/method_show.h"
#include "lib/stats/known.h"
#include "bench/show/units.h"
#include "lib/config/method.h"
#include "lib/decimal/json_f64.h"
#include "lib/decimal/num.h"
#include "lib/text/fmt.h"

static void number(struct report *r, const char *name, double v, int decimals)
{
    fmt(r->out, " %s ", name);
    num_f64(r->out, v, decimals, 0);
}

static void show_adaptive(struct report *r, const struct method_result *m)
{
    fmt(r->out, " %llu turns%s", (unsigned long long)m->turns,
        m->state == ADAPTIVE_NO_CLOCK ? ", no clock to time them by"
        : m->state == ADAPTIVE_MOST   ? ", shorter than target="
                                      : "");
    if (m->adaptive.seconds_valid) {
        number(r, "in", m->adaptive.seconds * 1e6, 3);
        fmt(r->out, " us");
    }
}

static void show_ergodic(struct report *r, const struct ensemble_result *e)
{
    number(r, "least", (double)e->least, 0);
    number(r, "var(var)", e->variance_of_variances, 2);
    number(r, "var(min)", e->variance_of_minima, 2);
    if (e->ergodic)
        fmt(r->out, " ergodic");
    else
        fmt(r->out, " not ergodic:%s%s%s", e->same_minimum ? "" : " minima",
            e->same_mean ? "" : " means", e->uncorrelated ? "" : " correlated");
}

void method_show(struct report *r, const struct engine *e, const struct row *row)
{
    const struct method_result *m = &row->method;
    fmt(r->out, " %5u", row->bench->ops);
    if (is_known(m->ticks))
        number(r, "ticks/op", m->ticks, 3);
    switch (m->method) {
    case METHOD_KBEST:
        number(r, "+-", m->lattice, 3);
        fmt(r->out, " %s after %llu", m->body.kbest.converged ? "converged" : "NOT CONVERGED",
            (unsigned long long)m->body.kbest.taken);
        break;
    case METHOD_ENSEMBLES:
        show_ergodic(r, &m->body.ensemble);
        break;
    case METHOD_ADAPTIVE:
        show_adaptive(r, m);
        break;
    case METHOD_PLAIN:
        number(r, "window: min", (double)m->body.least, 0);
        number(r, "max", (double)m->body.greatest, 0);
        number(r, "mean", m->body.all.mean, 1);
        number(r, "sd", moments_sd(&m->body.all), 1);
        break;
    case METHOD_COUNT:
    case METHOD_DOUBLED: /* its rows have columns of their own (bench/show/show.c) */
        break;
    }
    if (units_are_instructions(e) && is_known(m->ticks)) {
        fmt(r->out, "\r\n%-24s %5s", "", "");
        number(r, "that is instructions/op", units_of(e, m->ticks), 3);
    }
}

static void record_side(struct json *j, const char *name, enum method method,
                        const struct method_side *s)
{
    const struct ensemble_result *e = &s->ensemble;
    json_object(j, name);
    json_u64(j, "n", s->all.n);
    json_u64(j, "min", s->least);
    json_u64(j, "max", s->greatest);
    json_f64(j, "mean", s->all.mean, 4);
    json_f64(j, "sd", moments_sd(&s->all), 4);
    if (method == METHOD_KBEST) {
        json_u64(j, "kbest", s->kbest.smallest[0]);
        json_bool(j, "converged", s->kbest.converged);
    }
    if (method == METHOD_ENSEMBLES) {
        json_u64(j, "ensembles", e->ensembles);
        json_u64(j, "range_of_minima", e->range_of_minima);
        json_f64(j, "mean_variance", e->mean_variance, 4);
        json_f64(j, "variance_of_variances", e->variance_of_variances, 4);
        json_f64(j, "variance_of_minima", e->variance_of_minima, 4);
        json_f64(j, "variance_of_means", e->variance_of_means, 6);
        json_f64(j, "f", e->f, 4);
        json_f64(j, "f_bound", e->f_bound, 4);
        json_f64(j, "lag1", e->lag1, 6);
        json_f64(j, "lag1_bound", e->lag1_bound, 6);
        json_bool(j, "ergodic", e->ergodic);
    }
    json_close(j);
}

static void record_adaptive(struct json *j, const struct method_result *m, bool counted)
{
    static const char *const states[] = {[ADAPTIVE_MORE] = "more",
                                         [ADAPTIVE_DONE] = "done",
                                         [ADAPTIVE_MOST] = "most",
                                         [ADAPTIVE_NO_CLOCK] = "no clock"};
    json_u64(j, "turns", m->turns);
    json_str(j, "state", states[m->state]);
    json_f64(j, "units", m->adaptive.units, 0);
    if (m->adaptive.seconds_valid && !counted)
        json_f64(j, "seconds", m->adaptive.seconds, 9);
    json_u64(j, "clock_again", m->clock_again);
    json_u64(j, "clock_failed", m->clock_failed);
    if (m->adaptive.cycles_valid)
        json_f64(j, counted ? "instructions" : "cycles", m->adaptive.cycles, 1);
}

void method_record(struct json *j, const struct engine *e, const struct row *row)
{
    const struct method_result *m = &row->method;
    bool counted = units_are_instructions(e);
    json_str(j, "method", method_names[m->method]);
    if (row->status == ROW_UNSUPPORTED)
        return;
    json_u64(j, "errors", row->errors);
    if (m->method == METHOD_ADAPTIVE) {
        record_adaptive(j, m, counted);
    } else {
        record_side(j, "body", m->method, &m->body);
        record_side(j, "empty", m->method, &m->empty);
    }
    json_object(j, "per_op");
    json_f64(j, "ticks", m->ticks, 6);
    if (counted)
        json_f64(j, "instructions", units_of(e, m->ticks), 6);
    else if (engine_has_hz(e))
        json_f64(j, "ns", units_ns(e, m->ticks), 6);
    if (m->method == METHOD_KBEST)
        json_f64(j, "lattice_ticks", m->lattice, 6);
    json_close(j);
}
