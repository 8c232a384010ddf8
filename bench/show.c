#include "bench/show.h"
#include "lib/fmt.h"
#include "lib/json.h"
#include "lib/num.h"

#define HIST_CAP   256 /* bins of hist=capped (DESIGN section 4) */
#define DRAWN_BINS 16  /* bins of a drawn histogram */
#define BAR        40  /* columns of its longest bar */

static bool counts_instructions(const struct engine *e)
{
    return e->execution == EXEC_INSTRUCTIONS;
}

const char *show_unit(const struct engine *e)
{
    return counts_instructions(e) ? "instructions" : "ticks";
}

/* Ticks in the unit of the table. */
static double in_unit(const struct engine *e, double ticks)
{
    return counts_instructions(e) ? ticks / (double)e->ticks_per_instruction : ticks;
}

static bool knows_ns(const struct engine *e)
{
    return !counts_instructions(e) && e->p->tsc_hz > 0;
}

static double ns(const struct engine *e, double ticks)
{
    return ticks * 1e9 / e->p->tsc_hz;
}

void show_heading(struct report *r, const struct engine *e, const char *suite)
{
    if (!report_table(r))
        return;
    report_fresh_line(r);
    bool counted = counts_instructions(e);
    fmt(r->out, "\r\n%-24s       %s\r\n", "", counted ? "instructions a window" : "ticks a window");
    fmt(r->out, "%-24s %5s %8s %8s %8s %8s %8s", suite, "ops", "min", "median", "p99", "max",
        counted ? "instr/op" : "ticks/op");
    fmt(r->out, knows_ns(e) ? " %7s\r\n" : "\r\n", "ns/op");
}

static void show_line(struct report *r, const struct engine *e, const struct row *row)
{
    const struct summary *t = &row->ticks;
    fmt(r->out, "%-24s", row->bench->name);
    if (row->status == ROW_UNSUPPORTED) {
        fmt(r->out, " not on this CPU: %s\r\n", row->why);
        return;
    }
    if (t->n) {
        fmt(r->out, " %5u ", row->bench->ops);
        num_f64(r->out, in_unit(e, (double)t->min), 0, 8);
        fmt(r->out, " ");
        num_f64(r->out, in_unit(e, t->median), 0, 8);
        fmt(r->out, " ");
        num_f64(r->out, in_unit(e, t->p99), 0, 8);
        fmt(r->out, " ");
        num_f64(r->out, in_unit(e, (double)t->max), 0, 8);
    }
    if (t->n && row->has_net) {
        fmt(r->out, " ");
        num_f64(r->out, in_unit(e, row_per_op(row)), 3, 8);
        if (knows_ns(e)) {
            fmt(r->out, " ");
            num_f64(r->out, ns(e, row_per_op(row)), 3, 7);
        }
    }
    fmt(r->out, "\r\n");
    if (row->status == ROW_WRONG)
        fmt(r->out, "  ^ FAIL: %s\r\n", row->why);
    if (row->errors)
        fmt(r->out, "  ^ %u operations failed; their samples are left out\r\n", row->errors);
    if (row->disturbed)
        fmt(r->out, "  ^ %u of %zu windows disturbed\r\n", row->disturbed, t->n);
}

static void show_figure(struct report *r, const char *name, double v, int decimals)
{
    fmt(r->out, "  %s ", name);
    num_f64(r->out, v, decimals, 0);
}

static void draw_histogram(struct report *r, const struct engine *e, const struct row *row)
{
    struct bin bins[DRAWN_BINS];
    uint64_t rest, most = 1;
    size_t n = stats_histogram(row->sorted, row->ticks.n, bins, DRAWN_BINS, &rest);
    for (size_t i = 0; i < n; i++)
        most = bins[i].count > most ? bins[i].count : most;
    for (size_t i = 0; i < n; i++) {
        char bar[BAR + 1];
        uint64_t length = (bins[i].count * BAR + most - 1) / most;
        for (unsigned c = 0; c < BAR; c++)
            bar[c] = c < length ? '#' : ' ';
        bar[BAR] = 0;
        fmt(r->out, "    ");
        num_f64(r->out, in_unit(e, (double)bins[i].value), 0, 10);
        fmt(r->out, " %s %llu\r\n", bar, (unsigned long long)bins[i].count);
    }
    if (rest)
        fmt(r->out, "    %10s %*s %llu\r\n", "others", BAR, "", (unsigned long long)rest);
}

static void show_details(struct report *r, const struct engine *e, const struct row *row)
{
    const struct summary *t = &row->ticks;
    if (t->n == 0)
        return;
    fmt(r->out, "  n %zu, %s a window, recipe %s, %u warm-up blocks%s\r\n ", t->n, show_unit(e),
        recipe_names[row->recipe], row->warmup_blocks, row->steady ? "" : " (not steady)");
    show_figure(r, "p25", in_unit(e, t->p25), 1);
    show_figure(r, "p75", in_unit(e, t->p75), 1);
    show_figure(r, "mean", in_unit(e, t->mean), 2);
    show_figure(r, "sd", in_unit(e, t->sd), 2);
    show_figure(r, "MAD", in_unit(e, t->mad), 1);
    if (row->has_net) {
        show_figure(r, "empty", in_unit(e, row->empty.mean), 2);
        show_figure(r, "net", in_unit(e, row->net), 2);
    }
    fmt(r->out, "\r\n");
    if (e->o->hist != HIST_OFF)
        draw_histogram(r, e, row);
}

static void record_summary(struct json *j, const char *name, const struct summary *s)
{
    json_object(j, name);
    json_u64(j, "min", s->min);
    json_f64(j, "p25", s->p25, 2);
    json_f64(j, "median", s->median, 2);
    json_f64(j, "p75", s->p75, 2);
    json_f64(j, "p99", s->p99, 2);
    json_u64(j, "max", s->max);
    json_f64(j, "mean", s->mean, 4);
    json_f64(j, "sd", s->sd, 4);
    json_f64(j, "mad", s->mad, 2);
    json_close(j);
}

/* Every distinct value with its count: full histograms are streamed, they need no room. */
static void record_full_histogram(struct json *j, const struct row *row)
{
    for (size_t i = 0, run; i < row->ticks.n; i += run) {
        for (run = 1; i + run < row->ticks.n && row->sorted[i + run] == row->sorted[i];)
            run++;
        json_array(j, NULL);
        json_u64(j, NULL, row->sorted[i]);
        json_u64(j, NULL, run);
        json_close(j);
    }
}

static void record_capped_histogram(struct json *j, const struct row *row, uint64_t *rest)
{
    struct bin bins[HIST_CAP];
    size_t n = stats_histogram(row->sorted, row->ticks.n, bins, HIST_CAP, rest);
    for (size_t i = 0; i < n; i++) {
        json_array(j, NULL);
        json_u64(j, NULL, bins[i].value);
        json_u64(j, NULL, bins[i].count);
        json_close(j);
    }
}

static void record_histogram(struct json *j, const struct engine *e, const struct row *row)
{
    uint64_t rest = 0;
    if (e->o->hist == HIST_OFF)
        return;
    json_array(j, "hist");
    if (e->o->hist == HIST_FULL)
        record_full_histogram(j, row);
    else
        record_capped_histogram(j, row, &rest);
    json_close(j);
    if (rest)
        json_u64(j, "hist_rest", rest);
}

static void record_figures(struct json *j, const struct engine *e, const struct row *row)
{
    json_u64(j, "n", row->ticks.n);
    json_u64(j, "errors", row->errors);
    json_u64(j, "disturbed", row->disturbed);
    json_u64(j, "warmup_blocks", row->warmup_blocks);
    json_bool(j, "steady", row->steady);
    if (row->ticks.n == 0)
        return;
    record_summary(j, "ticks", &row->ticks);
    record_histogram(j, e, row);
    if (!row->has_net)
        return;
    record_summary(j, "empty", &row->empty);
    json_object(j, "net");
    json_f64(j, "ticks", row->net, 4);
    if (counts_instructions(e))
        json_f64(j, "instructions", in_unit(e, row->net), 6);
    json_close(j);

    json_object(j, "per_op");
    json_f64(j, "ticks", row_per_op(row), 6);
    if (counts_instructions(e))
        json_f64(j, "instructions", in_unit(e, row_per_op(row)), 6);
    if (knows_ns(e))
        json_f64(j, "ns", ns(e, row_per_op(row)), 6);
    json_close(j);
}

static void record_row(struct report *r, const struct engine *e, const struct row *row)
{
    static const char *const status[] = {
        [ROW_OK] = "ok", [ROW_WRONG] = "wrong", [ROW_UNSUPPORTED] = "unsupported"};
    static const char *const forms[] = {[FORM_EMPTY] = "empty",
                                        [FORM_LOOP] = "loop",
                                        [FORM_STRAIGHT] = "straight",
                                        [FORM_FUNCTION] = "function"};
    struct json j;
    if (!report_record(r, &j, "row"))
        return;
    json_str(&j, "suite", row->bench->suite);
    json_str(&j, "name", row->bench->name);
    json_u64(&j, "core", 0);
    json_str(&j, "recipe", recipe_names[row->recipe]);
    json_str(&j, "form", forms[row->bench->form]);
    json_u64(&j, "ops", row->bench->ops);
    json_str(&j, "status", status[row->status]);
    if (row->why)
        json_str(&j, "why", row->why);
    if (row->status != ROW_UNSUPPORTED)
        record_figures(&j, e, row);
    json_end(&j);
}

void show_row(struct report *r, const struct engine *e, const struct row *row, bool details)
{
    if (report_table(r)) {
        report_fresh_line(r);
        show_line(r, e, row);
        if (details)
            show_details(r, e, row);
    }
    record_row(r, e, row);
}
