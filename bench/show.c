#include "bench/place.h"
#include "bench/show.h"
#include "bench/compare.h"
#include "bench/cores_show.h"
#include "bench/layout.h"
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
    return !counts_instructions(e) && e->tsc_hz > 0;
}

static double ns(const struct engine *e, double ticks)
{
    return ticks * 1e9 / e->tsc_hz;
}

void show_heading(struct report *r, const struct engine *e, const char *suite)
{
    if (!report_table(r))
        return;
    report_fresh_line(r);
    bool counted = counts_instructions(e);
    fmt(r->out, "\r\n%-24s       %s\r\n", "",
        counted ? "instructions a window" : "ticks of the TSC a window");
    fmt(r->out, "%-24s %5s %8s %8s %8s", suite, "ops", "min", "median", "p99");
    if (counted)
        fmt(r->out, " %8s %9s", "max", "instr/op");
    else if (cycle_known(e))
        fmt(r->out, " %9s %6s", "cycles/op", "+-99%");
    else
        fmt(r->out, " %9s", "ticks/op");
    fmt(r->out, knows_ns(e) ? " %7s\r\n" : "\r\n", "ns/op");
}

static void show_number(struct report *r, double v, int decimals, int width)
{
    fmt(r->out, " ");
    if (v == v)
        num_f64(r->out, v, decimals, width);
    else
        fmt(r->out, "%*s", width, "?");
}

static void show_per_op(struct report *r, const struct engine *e, const struct headline *h)
{
    if (!h->known)
        return;
    if (counts_instructions(e)) {
        show_number(r, in_unit(e, h->ticks), 3, 9);
    } else if (cycle_known(e)) {
        show_number(r, h->cycles.theta, 3, 9);
        show_number(r, h->cycles.half, 3, 6);
    } else {
        show_number(r, h->ticks, 3, 9);
    }
    if (knows_ns(e))
        show_number(r, ns(e, h->ticks), 3, 7);
}

/* More than one mode: the list is the figure, not the mean. */
static void show_modes(struct report *r, const struct headline *h)
{
    static const char *const kinds[] = {
        [MODE_ONLY] = "", [MODE_LAYOUT] = " by placement", [MODE_TIME] = " by time"};
    if (h->modes.count < 2)
        return;
    fmt(r->out, "  ^ %zu modes:", h->modes.count);
    for (size_t i = 0; i < h->modes.count; i++) {
        const struct mode *m = &h->modes.mode[i];
        fmt(r->out, "%s ", i ? "," : "");
        num_f64(r->out, m->at, 3, 0);
        fmt(r->out, " (%u%%%s)", (unsigned)(m->share * 100 + 0.5), kinds[m->kind]);
    }
    fmt(r->out, "\r\n");
}

/* One part of a sweep: offsets in steps of 1 (code), 64 (stack), 8 bytes (data). */
struct sweep {
    double min, median, max;
    unsigned best, worst; /* indices of the offsets */
};

static struct sweep sweep_of(const double *theta)
{
    struct sweep w = {.min = theta[0], .max = theta[0]};
    double sorted[LAYOUT_OFFSETS] = {0};
    for (unsigned i = 0; i < LAYOUT_OFFSETS; i++) {
        sorted[i] = theta[i];
        if (theta[i] < w.min)
            w.min = theta[w.best = i];
        if (theta[i] > w.max)
            w.max = theta[w.worst = i];
    }
    w.median = headline_median(sorted, LAYOUT_OFFSETS);
    return w;
}

static bool is_swept(const struct engine *e, const struct row *row)
{
    return e->o->layout == LAYOUT_SWEEP && row->headline.known && cycle_known(e);
}

static void show_sweep(struct report *r, const struct row *row)
{
    for (unsigned part = 0; part < LAYOUT_PARTS; part++) {
        struct sweep w = sweep_of(row->theta + part * LAYOUT_OFFSETS);
        fmt(r->out, "    %-5s offsets: min", layout_part_names[part]);
        show_number(r, w.min, 3, 0);
        fmt(r->out, ", median");
        show_number(r, w.median, 3, 0);
        fmt(r->out, ", max");
        show_number(r, w.max, 3, 0);
        fmt(r->out, " cycles, worst at byte %u\r\n", w.worst * layout_part_step[part]);
    }
}

/* Where ruler and counter differ by more than the self-test allows, or the counter failed. */
static void show_beside(struct report *r, const struct engine *e, const struct row *row)
{
    double off = row->headline.counter.cycles.theta / row->headline.ruler.cycles.theta - 1;
    if (e->execution != EXEC_SILICON || !e->cycle.counter.used || !row->headline.known)
        return;
    if (off > CYCLE_WITHIN || off < -CYCLE_WITHIN) {
        fmt(r->out, "  ^ by %s", e->cycle.counter.used->name);
        show_number(r, row->headline.counter.cycles.theta, 3, 0);
        fmt(r->out, ", by the ruler");
        show_number(r, row->headline.ruler.cycles.theta, 3, 0);
        fmt(r->out, " cycles/op\r\n");
    }
    if (row->unread)
        fmt(r->out, "  ^ %u blocks without a reading of %s\r\n", row->unread,
            e->cycle.counter.used->name);
}

/* Several cores: "name @core". */
static void show_name(struct report *r, const struct engine *e, const struct row *row)
{
    char name[40];
    if (e->cores > 1)
        fmt_buf(name, sizeof name, "%s @%u", row->bench->name, row->core);
    fmt(r->out, "%-24s", e->cores > 1 ? name : row->bench->name);
}

static void show_line(struct report *r, const struct engine *e, const struct row *row)
{
    const struct summary *t = &row->ticks;
    show_name(r, e, row);
    if (row->status == ROW_UNSUPPORTED) {
        fmt(r->out, " not %s: %s\r\n",
            row->method.method != METHOD_DOUBLED ? "by this method"
            : cpu_lacks(e->p->cpu, row->recipe)  ? "on this CPU"
                                                 : "here",
            row->why);
        return;
    }
    if (row->method.method != METHOD_DOUBLED)
        method_show(r, e, row);
    if (t->n) {
        fmt(r->out, " %5u", row->bench->ops);
        show_number(r, in_unit(e, (double)t->min), 0, 8);
        show_number(r, in_unit(e, t->median), 0, 8);
        show_number(r, in_unit(e, t->p99), 0, 8);
        if (counts_instructions(e))
            show_number(r, in_unit(e, (double)t->max), 0, 8);
        show_per_op(r, e, &row->headline);
    }
    fmt(r->out, "\r\n");
    if (row->status == ROW_WRONG)
        fmt(r->out, "  ^ FAIL: %s\r\n", row->why);
    if (row->errors)
        fmt(r->out, "  ^ %u operations failed; their samples are left out\r\n", row->errors);
    if (row->disturbed * 100ull > t->n) /* more than one in a hundred; the record has them all */
        fmt(r->out, "  ^ %u of %zu windows disturbed\r\n", row->disturbed, t->n);
    if (row->smis)
        fmt(r->out, "  ^ %llu SMIs came\r\n", (unsigned long long)row->smis);
    if (e->p->row_show)
        e->p->row_show(r->out, row->core);
    show_beside(r, e, row);
    cores_slowdown_show(r, e, row);
    compare_units_show(r, e, row);
    if (is_swept(e, row))
        show_sweep(r, row);
    else if (cycle_known(e))
        show_modes(r, &row->headline);
}

static void show_figure(struct report *r, const char *name, double v, int decimals)
{
    fmt(r->out, "  %s ", name);
    num_f64(r->out, v, decimals, 0);
}

static bool knows_core_hz(const struct engine *e, const struct row *row)
{
    return e->execution == EXEC_SILICON && cycle_known(e) && e->tsc_hz > 0 &&
           row->cycles_per_tick > 0;
}

static double core_hz(const struct engine *e, const struct row *row)
{
    return row->cycles_per_tick * e->tsc_hz;
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
    if (knows_core_hz(e, row)) {
        show_figure(r, "core", core_hz(e, row) / 1e6, 1);
        fmt(r->out, " MHz");
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

static void record_modes(struct json *j, const struct modes *modes)
{
    static const char *const kinds[] = {
        [MODE_ONLY] = "only", [MODE_LAYOUT] = "layout", [MODE_TIME] = "time"};
    json_array(j, "modes");
    for (size_t i = 0; i < modes->count; i++) {
        const struct mode *m = &modes->mode[i];
        json_object(j, NULL);
        json_f64(j, "cycles", m->at, 6);
        json_f64(j, "share", m->share, 4);
        json_f64(j, "sd", m->sd, 6);
        json_u64(j, "blocks", m->n);
        json_str(j, "kind", kinds[m->kind]);
        json_close(j);
    }
    json_close(j);
}

/* The 99% interval, as it was got (METHOD "The headline"). */
static void record_interval(struct json *j, const struct headline *h)
{
    json_object(j, "interval");
    json_f64(j, "nominal", 0.99, 2);
    json_f64(j, "kappa", HEADLINE_KAPPA, 6);
    json_f64(j, "sd", h->cycles.s, 6);
    json_f64(j, "se", h->se, 6);
    json_close(j);
}

static void record_sweep(struct json *j, const struct row *row)
{
    json_object(j, "sweep");
    for (unsigned part = 0; part < LAYOUT_PARTS; part++) {
        const double *theta = row->theta + part * LAYOUT_OFFSETS;
        struct sweep w = sweep_of(theta);
        json_object(j, layout_part_names[part]);
        json_f64(j, "min", w.min, 4);
        json_f64(j, "median", w.median, 4);
        json_f64(j, "max", w.max, 4);
        json_u64(j, "best", w.best * layout_part_step[part]);
        json_u64(j, "worst", w.worst * layout_part_step[part]);
        json_u64(j, "step_bytes", layout_part_step[part]);
        json_array(j, "cycles");
        for (unsigned i = 0; i < LAYOUT_OFFSETS; i++)
            json_f64(j, NULL, theta[i], 4);
        json_close(j);
        json_close(j);
    }
    json_close(j);
}

/* cycles_ruler, cycles_counter: the one beside the one in use, and how far apart they are. */
static void record_beside(struct json *j, const struct engine *e, const struct headline *h)
{
    double ruler = h->ruler.cycles.theta, counter = h->counter.cycles.theta;
    if (e->cycle.by == CYCLES_RULER)
        json_f64(j, "cycles_counter", counter, 6);
    else
        json_f64(j, "cycles_ruler", ruler, 6);
    json_f64(j, "counter_off", counter / ruler - 1, 6);
}

/* Which source, and at what clock the core ran during this row. */
static void record_source(struct json *j, const struct engine *e, const struct row *row)
{
    json_str(j, "cycle_source", e->cycle.source.used->name);
    if (knows_core_hz(e, row))
        json_f64(j, "core_hz", core_hz(e, row), 0);
    if (!e->cycle.counter.used)
        return;
    json_str(j, "cycle_counter", e->cycle.counter.used->name);
    json_u64(j, "counter_unread_blocks", row->unread);
}

static void record_headline(struct json *j, const struct engine *e, const struct row *row)
{
    const struct headline *h = &row->headline;
    bool counted = counts_instructions(e), cycles = cycle_known(e) && !counted;
    json_object(j, "per_op");
    json_f64(j, "ticks", h->ticks, 6);
    if (counted)
        json_f64(j, "instructions", in_unit(e, h->ticks), 6);
    if (knows_ns(e))
        json_f64(j, "ns", ns(e, h->ticks), 6);
    if (cycles) {
        json_f64(j, "cycles", h->cycles.theta, 6);
        json_f64(j, "cycles_lo", h->cycles.theta - h->cycles.half, 6);
        json_f64(j, "cycles_hi", h->cycles.theta + h->cycles.half, 6);
        json_f64(j, "cycles_median", h->median, 6);
        if (e->cycle.counter.used)
            record_beside(j, e, h);
    }
    json_close(j);
    json_u64(j, "placements", row->placements);
    json_bool(j, "doubled", h->doubled);
    if (is_swept(e, row))
        record_sweep(j, row);
    if (cycles) {
        record_source(j, e, row);
        record_interval(j, h);
        record_modes(j, &h->modes);
        if (row->truth > 0)
            json_f64(j, "truth_cycles", row->truth, 3);
    }
}

static void record_figures(struct json *j, const struct engine *e, const struct row *row)
{
    json_u64(j, "n", row->ticks.n);
    json_u64(j, "errors", row->errors);
    json_u64(j, "disturbed", row->disturbed);
    json_u64(j, "nmis", row->nmis);
    if (e->p->smis)
        json_u64(j, "smis", row->smis);
    json_u64(j, "windows", row->windows);
    json_u64(j, "sampling_ticks", row->sampling_ticks);
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
    record_headline(j, e, row);
    compare_units_record(j, e, row);
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
    json_u64(&j, "core", row->core);
    json_str(&j, "recipe", recipe_names[row->recipe]);
    json_str(&j, "form", forms[row->bench->form]);
    json_u64(&j, "ops", row->bench->ops);
    json_bool(&j, "cold", place_is_cold(e, row->bench));
    json_str(&j, "status", status[row->status]);
    if (row->why)
        json_str(&j, "why", row->why);
    if (row->method.method != METHOD_DOUBLED)
        method_record(&j, e, row);
    else if (row->status != ROW_UNSUPPORTED)
        record_figures(&j, e, row);
    cores_slowdown_record(&j, e, row);
    if (row->status != ROW_UNSUPPORTED && e->p->row_record)
        e->p->row_record(&j, row->core);
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
