#include "bench/output/kinds_show.h"
#include "bench/api/kind.h"
#include "bench/api/declare.h"
#include "bench/output/show.h"
#include "bench/output/per_op.h"
#include "lib/text/decimal.h"
#include "lib/curve/cache_line.h"
#include "lib/stats/estimate.h"
#include "lib/stats/mathx.h"
#include "lib/text/fmt.h"
#include "lib/text/json.h"

#define LINE 64 /* bytes of an operation of bandwidth */

/* Returns a point's figure in the unit of the series. */
static double figure(const struct run_facts *run, const struct series *c, const struct point *p)
{
    return run_has_cycles(run) && !series_is_together(c) ? p->cycles : p->ticks;
}

static double ns(const struct run_facts *run, double ticks)
{
    return units_have_ns(run) && run->execution == EXEC_SILICON ? units_ns(run, ticks) : UNKNOWN;
}

/* --- the table of a curve --------------------------------------------------------------------- */

static void show_number(double v, int decimals, int width, struct sink *out)
{
    if (is_known(v))
        num_f64(out, v, decimals, width);
    else
        fmt(out, "%*s", width, "-");
}

/* Returns whether the points of the row are sizes, offsets, or whatever `by` is. */
static bool is_by(const struct series *c, enum bench_by by)
{
    return series_curve(c) && bench_by(series_curve(c)) == by;
}

/* Returns whether the operation moves a line of 64 bytes. */
static bool is_bandwidth(const struct series *c)
{
    return is_by(c, BENCH_BY_CORES) || ((is_by(c, BENCH_BY_SIZE) || is_by(c, BENCH_BY_NODE)) &&
                                        !bench_is_chase(series_curve(c)->load));
}

static const char *const by_words[] = {
    [BENCH_BY_SIZE] = "size",   [BENCH_BY_OFFSET] = "offset", [BENCH_BY_STATE] = "state",
    [BENCH_BY_CORES] = "cores", [BENCH_BY_RATE] = "rate",     [BENCH_BY_NODE] = "node",
};

static const char *by_word(const struct series *c)
{
    return series_curve(c) ? by_words[bench_by(series_curve(c))] : c->out.bench->kind->point;
}

/* Returns what an operation is and what was checked, in words. */
static const char *checked(const struct series *c)
{
    if (is_by(c, BENCH_BY_OFFSET))
        return "; every value was checked";
    if (is_by(c, BENCH_BY_STATE))
        return ", per instruction; every line was checked";
    if (is_by(c, BENCH_BY_RATE))
        return ", a load of the chase; every element was visited";
    return is_bandwidth(c) ? ", per line of 64 bytes; every word was checked"
                           : "; every element was visited";
}

/* Writes the last column: ns, or GB/s. */
static void show_last(const struct run_facts *run, const struct series *c, const struct point *p,
                      struct sink *out)
{
    double time = ns(run, p->ticks);

    show_number(is_bandwidth(c) ? LINE / time : time, 2, 8, out);
}

/* Writes what a point is, 13 columns wide. */
static void show_where(const struct series *c, const struct point *p, struct sink *out)
{
    if (is_by(c, BENCH_BY_STATE))
        fmt(out, "%13s", line_state_names[p->x]);
    else if (is_by(c, BENCH_BY_SIZE))
        series_say_size((uint64_t)p->x, 13, out);
    else if (is_by(c, BENCH_BY_NODE) && p->x == c->node)
        fmt(out, "%7lld (own)", (long long)p->x);
    else
        fmt(out, "%13lld", (long long)p->x);
}

static void show_points(const struct run_facts *run, const struct series *c, struct sink *out)
{
    fmt(out, "%13s %12s       +-     %s\r\n", is_by(c, BENCH_BY_RATE) ? "others' MB/s" : by_word(c),
        series_unit(run, c), is_bandwidth(c) ? "GB/s" : "  ns");
    for (size_t i = 0; i < c->n; i++) {
        const struct point *p = &c->point[i];
        double v = figure(run, c, p);
        int decimals = series_decimals(run, c, v);
        show_where(c, p, out);
        fmt(out, " ");
        show_number(v, decimals, 12, out);
        fmt(out, " ");
        show_number(estimate_longer_of(v, p->lo, p->hi), decimals, 8, out);
        fmt(out, " ");
        show_last(run, c, p, out);
        fmt(out, p->shared ? "  shared core: not judged\r\n"
                 : is_known(p->cycles) && !is_known(p->lo) && run->execution == EXEC_SILICON
                     ? "  no interval: few or unequal visits\r\n"
                     : "\r\n");
    }
}

static void show_curve(const struct run_facts *run, const struct series *c, struct sink *out)
{
    if (series_curve(c)) {
        fmt(out, "pages of ");
        series_say_size(c->page, 0, out);
        if (c->prefetch)
            fmt(out, ", prefetchers %s", c->prefetch);
        fmt(out, "%s", checked(c));
    }
    fmt(out, "\r\n");
    show_points(run, c, out);
    if (is_by(c, BENCH_BY_SIZE))
        series_say_levels(run, c, out);
    else if (c->less_memory)
        fmt(out, "  there is too little memory for sets of the size that is wanted\r\n");
    fmt(out, "\r\n");
}

/* --- the table of limits ---------------------------------------------------------------------- */

static const struct bench_limit *limit_of(const struct series *l)
{
    return bench_limit(l->out.bench);
}

/* Returns what a count is divided by. */
static double per_of(const struct series *l)
{
    return limit_of(l)->per ? limit_of(l)->per : 1;
}

/* Writes a count in the unit of the limit. */
static void show_count(const struct series *l, uint32_t count, struct sink *out)
{
    num_f64(out, count / per_of(l), limit_of(l)->per ? 1 : 0, 0);
}

/* Writes "312 XORs (311 to 314), 430.1 to 840.2 cycles". */
static void show_step(const struct run_facts *run, const struct series *l,
                      const struct curve_step *s, struct sink *out)
{
    show_count(l, s->at, out);
    fmt(out, " %s (", limit_of(l)->unit);
    show_count(l, s->from, out);
    fmt(out, " to ");
    show_count(l, s->to, out);
    num_fmt(out, "), %.2f to %.2f %s\r\n", s->before, s->after, units_per_op(run));
}

static void show_steps(const struct run_facts *run, const struct series *l, struct sink *out)
{
    if (l->spoiled != SERIES_CLEAN) {
        fmt(out, "not judged: ");
        series_say_spoiled(l, out);
        fmt(out, "\r\n");
        return;
    }
    if (l->steps == 0) {
        fmt(out, "no step up to ");
        show_count(l, l->n ? (uint32_t)l->point[l->n - 1].x : 0, out);
        fmt(out, " %s\r\n", limit_of(l)->unit);
    }
    for (size_t i = 0; i < l->steps; i++) {
        if (i > 0)
            fmt(out, "%33s", "");
        show_step(run, l, &l->step[i], out);
    }
    if (l->less_time)
        fmt(out, "%33slarger counts would take too long\r\n", "");
}

static void show(const struct run_facts *run, const struct series *c, struct sink *out)
{
    fmt(out, "%-24s core %u: ", c->out.bench->name, run->core);
    if (c->out.status != ROW_OK)
        fmt(out, "%s: %s\r\n", c->out.status == ROW_WRONG ? "FAIL" : "not available", c->out.why);
    else if (c->out.bench->kind->has_limits)
        show_steps(run, c, out);
    else
        show_curve(run, c, out);
}

/* --- the record ------------------------------------------------------------------------------- */

/* Writes a point. Figures have no more decimals than their interval needs, and about three
 * digits. */
static void record_point(const struct run_facts *run, const struct series *c, const struct point *p,
                         struct json *j)
{
    double v = figure(run, c, p), side = estimate_longer_of(v, p->lo, p->hi);
    bool limits = c->out.bench->kind->has_limits;
    int most = units_are_instructions(run) || v < 1 ? 3
               : limits && v >= 100                 ? 1
                                                    : 2,
        decimals = json_decimals(2 * side, most);

    json_array(j, NULL);
    json_i64(j, NULL, p->x);
    json_f64(j, NULL, v, decimals);
    json_f64(j, NULL, side, decimals);
    if (!limits) /* a ns has several cycles, so it needs a decimal more */
        json_f64(j, NULL, ns(run, p->ticks), decimals < 3 ? decimals + 1 : 3);
    json_close(j);
}

static unsigned least_visits(const struct series *l)
{
    unsigned least = l->n ? l->point[0].visits : 0;

    for (size_t i = 1; i < l->n; i++)
        least = l->point[i].visits < least ? l->point[i].visits : least;
    return least;
}

static void record_curve(const struct run_facts *run, const struct series *c, struct json *j)
{
    const struct outcome *out = &c->out;
    bool ok = out->status == ROW_OK;

#include "bench/api/fields/curve.def"
}

static void record_limit(const struct run_facts *run, const struct series *l, struct json *j)
{
    const struct outcome *out = &l->out;
    bool ok = out->status == ROW_OK;

#include "bench/api/fields/limit.def"
}

void series_show(const struct run_facts *run, const struct series *c, struct report *r)
{
    bool limits = c->out.bench->kind->has_limits;
    struct json line;

    if (report_table(r)) {
        report_fresh_line(r);
        show(run, c, r->out);
    }
    if (!report_record(r, &line, limits ? "limit" : "curve"))
        return;
    if (limits)
        record_limit(run, c, &line);
    else
        record_curve(run, c, &line);
    json_end(&line);
}
