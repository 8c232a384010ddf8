#include "bench/output/kinds_show.h"
#include "bench/api/declare.h"
#include "bench/output/show.h"
#include "bench/output/per_op.h"
#include "lib/text/decimal.h"
#include "lib/stats/estimate.h"
#include "lib/text/fmt.h"
#include "lib/text/json.h"

static const struct bench_limit *kind_of(const struct limit *l)
{
    return bench_limit(l->out.bench);
}

/* Returns what a count is divided by. */
static double per_of(const struct limit *l)
{
    return kind_of(l)->per ? kind_of(l)->per : 1;
}

/* By enum limit_spoiled. */
static const char *const spoiled_words[] = {
    [LIMIT_SHARED] = "most counts were measured on a shared core",
    [LIMIT_FALLS] = "a count takes less time than a smaller one",
    [LIMIT_UNCERTAIN] = "the step is too uncertain: intervals overlap, or the core was shared",
    [LIMIT_COUNTED] = "instructions are counted, which shows no limit",
    [LIMIT_EMULATED] = "an emulator's times are noise",
};

/* --- the table -------------------------------------------------------------------------------- */

/* Writes a count in the unit of the limit. */
static void show_count(const struct limit *l, uint32_t count, struct sink *out)
{
    num_f64(out, count / per_of(l), kind_of(l)->per ? 1 : 0, 0);
}

/* Writes "312 XORs (311 to 314), 430.1 to 840.2 cycles". */
static void show_step(const struct run_facts *run, const struct limit *l,
                      const struct curve_step *s, struct sink *out)
{
    show_count(l, s->at, out);
    fmt(out, " %s (", kind_of(l)->unit);
    show_count(l, s->from, out);
    fmt(out, " to ");
    show_count(l, s->to, out);
    num_fmt(out, "), %.2f to %.2f %s\r\n", s->before, s->after, units_per_op(run));
}

static void show_steps(const struct run_facts *run, const struct limit *l, struct sink *out)
{
    if (l->spoiled != LIMIT_CLEAN) {
        fmt(out, "not judged: %s\r\n", spoiled_words[l->spoiled]);
        return;
    }
    if (l->steps == 0) {
        fmt(out, "no step up to ");
        show_count(l, l->n ? l->point[l->n - 1].count : 0, out);
        fmt(out, " %s\r\n", kind_of(l)->unit);
    }
    for (size_t i = 0; i < l->steps; i++) {
        if (i > 0)
            fmt(out, "%33s", "");
        show_step(run, l, &l->step[i], out);
    }
    if (l->less_time)
        fmt(out, "%33slarger counts would take too long\r\n", "");
}

static void show(const struct run_facts *run, const struct limit *l, struct report *r)
{
    report_fresh_line(r);
    fmt(r->out, "%-24s core %u: ", l->out.bench->name, run->core);
    if (l->out.status != ROW_OK)
        fmt(r->out, "%s: %s\r\n", l->out.status == ROW_WRONG ? "FAIL" : "not available",
            l->out.why);
    else
        show_steps(run, l, r->out);
}

/* --- the record ------------------------------------------------------------------------------- */

/* Writes a figure with as many decimals as its interval needs, at most three digits after those of
 * a cycle. */
static void record_point(const struct run_facts *run, const struct limit_point *p, struct json *j)
{
    double v = run_has_cycles(run) ? p->cycles : p->ticks,
           side = estimate_longer_of(v, p->lo, p->hi);
    int most = v < 1 || units_are_instructions(run) ? 3
               : v < 100                            ? 2
                                                    : 1,
        decimals = json_decimals(2 * side, most);

    json_array(j, NULL);
    json_u64(j, NULL, p->count);
    json_f64(j, NULL, v, decimals);
    json_f64(j, NULL, side, decimals);
    json_close(j);
}

static bool is_shared(const struct limit *l)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->out.status == ROW_OK && l->point[i].shared)
            return true;
    return false;
}

static uint32_t least_visits(const struct limit *l)
{
    uint32_t least = l->n ? l->point[0].visits : 0;

    for (size_t i = 1; i < l->n; i++)
        least = l->point[i].visits < least ? l->point[i].visits : least;
    return least;
}

static void record(const struct run_facts *run, const struct limit *l, struct report *r)
{
    const struct outcome *out = &l->out;
    bool ok = out->status == ROW_OK;
    struct json line, *j = &line;

    if (!report_record(r, j, "limit"))
        return;
#include "bench/api/fields/limit.def"
    json_end(j);
}

void limit_heading(struct report *r, const struct run_facts *run, const char *suite)
{
    (void)run;
    if (!report_table(r))
        return;
    report_fresh_line(r);
    fmt(r->out,
        "\r\n%-24s the largest count before a step, where that is, and an operation's cost\r\n",
        suite);
}

void limit_show(const struct run_facts *run, const struct limit *l, struct report *r)
{
    if (report_table(r))
        show(run, l, r);
    record(run, l, r);
}
