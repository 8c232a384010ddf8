#include "bench/output/show.h"
#include "bench/result/kept.h"
#include "bench/result/cycles.h"
#include "bench/result/sweep.h"
#include "lib/stats/mathx.h"
#include "bench/output/compare.h"
#include "bench/output/method_show.h"
#include "bench/output/per_op.h"
#include "lib/text/decimal.h"
#include "lib/text/fmt.h"

#define CALL_PART     0.1 /* of the operations; a call with more instructions besides is named */
#define DRAWN_BINS    16  /* bins of a drawn histogram */
#define BAR           40  /* columns of its longest bar */
#define LINE_DECIMALS 6   /* of format=lines, as in the record */

void show_heading(struct report *r, const struct run_facts *run, const char *suite)
{
    if (!report_table(r))
        return;
    report_fresh_line(r);
    if (run->o->method != METHOD_DOUBLED) {
        method_heading(r, run, suite);
        return;
    }
    fmt(r->out, "\r\n%-24s       %s a window\r\n%-24s", "",
        units_are_instructions(run) ? "instructions" : "ticks of the TSC", suite);
    columns_heading(r, run);
}

/* Writes the modes if there are several. The figure is then the median over the placements, and so
 * that of the most common mode; the mean over them is the average cost. */
static void show_modes(struct report *r, const struct row_figure *h)
{
    static const char *const kinds[] = {
        [MODE_ONLY] = "", [MODE_LAYOUT] = " by placement", [MODE_TIME] = " by time"};

    if (h->modes.count < 2)
        return;
    fmt(r->out, "  ^ %zu modes:", h->modes.count);
    for (size_t i = 0; i < h->modes.count; i++) {
        const struct mode *m = &h->modes.mode[i];
        num_fmt(r->out, "%s %.3f (%u%%%s)", i ? "," : "", m->at, (unsigned)(m->share * 100 + 0.5),
                kinds[m->kind]);
    }
    num_fmt(r->out, "; mean over placements %.3f\r\n", h->cycles.mean);
}

/* Writes how the interval was found, and its confidence, if not only by order statistics. */
static void show_fallback(struct report *r, const struct run_facts *run, const struct row *row)
{
    const struct estimate *cycles = &row->figure.cycles;
    unsigned percent = (unsigned)(cycles->confidence * 100 + 0.5);

    if (run->execution != EXEC_SILICON || !is_known(cycles->lo))
        return;
    if (cycles->by == ESTIMATE_ROUNDS)
        fmt(r->out,
            "  ^ its %zu rounds differ: the interval is the wider of ranks and Student's t of %u%%"
            "\r\n",
            cycles->rounds, percent);
    else if (cycles->by == ESTIMATE_PLACEMENTS)
        fmt(r->out,
            "  ^ the interval is Student's t of %u%%: %zu placements are too few for ranks\r\n",
            percent, cycles->placements);
    else if (cycles->by == ESTIMATE_BLOCKS)
        fmt(r->out,
            "  ^ the interval is of one placement, by Student's t of %u%% over its blocks\r\n",
            percent);
}

static void show_sweep(struct report *r, const struct row *row)
{
    for (unsigned part = 0; part < LAYOUT_PARTS; part++) {
        struct sweep w = sweep_of(row->spread.theta + part * LAYOUT_OFFSETS);
        if (w.known == 0)
            continue;
        fmt(r->out, "    %-5s offsets: min", layout_part_names[part]);
        per_op_number(r, w.min, 3, 0);
        fmt(r->out, ", median");
        per_op_number(r, w.median, 3, 0);
        fmt(r->out, ", max");
        per_op_number(r, w.max, 3, 0);
        fmt(r->out, " cycles, worst at byte %u\r\n", w.worst * layout_part_step[part]);
    }
}

/* Writes a note if ruler and counter disagree, or the counter failed. */
static void show_second_source(struct report *r, const struct run_facts *run, const struct row *row)
{
    const struct estimate *ruler = &row->figure.ruler.cycles;
    const struct estimate *counter = &row->figure.counter.cycles;

    if (run->execution != EXEC_SILICON || !run->cycle.counter.used || !row->figure.known)
        return;
    if (cycle_disagree(ruler, counter)) {
        fmt(r->out, "  ^ %s and ruler disagree:", run->cycle.counter.used->name);
        per_op_number(r, counter->theta, 3, 0);
        fmt(r->out, ",");
        per_op_number(r, ruler->theta, 3, 0);
        fmt(r->out, " cycles/op\r\n");
    }
    if (row_counter_failed(row)) /* the record also has smaller numbers */
        fmt(r->out, "  ^ %u of %llu blocks without a reading of %s\r\n", row->taken.unread,
            (unsigned long long)row->taken.blocks, run->cycle.counter.used->name);
}

/* Writes the name; with several cores "name @core". */
static void show_name(struct report *r, const struct run_facts *run, const struct row *row)
{
    char name[40];

    if (run->cores > 1)
        fmt_buf(name, sizeof name, "%s @%u", row->out.bench->name, row->out.core);
    fmt(r->out, "%-24s", run->cores > 1 ? name : row->out.bench->name);
}

static void show_why_not(struct report *r, const struct run_facts *run, const struct row *row)
{
    const char *where = "here";

    if (row->method.method != METHOD_DOUBLED)
        where = "by this method";
    else if (cpu_lacks(run->cpu, row->recipe))
        where = "on this CPU";
    fmt(r->out, " not %s: %s\r\n", where, row->out.why);
}

/* Writes a note if the row's work should be judged but is not. */
static void show_work(struct report *r, const struct row *row)
{
    if (row->work == WORK_NOT_JUDGED && row->stepped.why_not[0])
        fmt(r->out,
            "  ^ its work is not judged, because its instructions are not counted:"
            "\r\n    %s\r\n",
            row->stepped.why_not);
}

/* Where the halves of twice the body were compared, windows that are too long to be counted are no
 * reason for doubt. */
static void show_left(struct report *r, const struct row *row)
{
    const struct stepped *s = &row->stepped;

    if (stepped_differs(s)) {
        num_fmt(r->out, "  ^ its work depends on its history: %.3f steps/op with fresh data, ",
                stepped_fresh(s));
        if (s->left.why_not[0])
            fmt(r->out, "after the timed\r\n    windows %s\r\n", s->left.why_not);
        else
            num_fmt(r->out, "%.3f in the state that\r\n    the timed windows left\r\n",
                    s->left.work);
    } else if (stepped_known(s) && s->left.why_not[0] && !row->figure.halves.judged) {
        fmt(r->out, "  ^ only %llu operation%s of a window %s counted, with fresh data: %s\r\n",
            (unsigned long long)s->ops, s->ops == 1 ? "" : "s", s->ops == 1 ? "is" : "are",
            s->left.why_not);
    }
}

/* Writes notes about work that is not the same in every window and in each of its halves. */
static void show_history(struct report *r, const struct run_facts *run, const struct row *row)
{
    uint32_t ops = row->out.bench->ops;
    double own = stepped_call(&row->stepped);
    bool is_in = !row->figure.doubled && run->o->method != METHOD_ADAPTIVE;

    show_left(r, row);
    if (!stepped_differs(&row->stepped) && own > CALL_PART * row->stepped.instructions * ops)
        num_fmt(r->out,
                "  ^ a call executes %.0f instructions besides its operations: %s the figure\r\n",
                own, is_in ? "in" : "not in");
    if (row->figure.halves.differ && run_has_cycles(run)) {
        double factor = units_are_instructions(run) ? units_of(run, 1) : row->cycles_per_tick;
        num_fmt(r->out, "  ^ the second %.0f operations of a call cost %.0f %s, the first %.0f\r\n",
                (double)ops, row->figure.halves.second * factor,
                units_are_instructions(run) ? "instructions" : "cycles",
                row->figure.halves.first * factor);
    }
    if (row->figure.pace == PACE_FUSED)
        fmt(r->out,
            "  ^ more instructions per cycle than NOPs: some were executed as one, or "
            "overlapped\r\n    with the subtracted ones, or were counted but not timed\r\n");
}

/* Writes a note if the figure lacks what overlaps with the loop. */
static void show_hidden(struct report *r, const struct row *row)
{
    static const char *const hides[] = {[HIDDEN_MAYBE] = "may hide part of it",
                                        [HIDDEN_PART] = "hides part of it",
                                        [HIDDEN_ALL] = "hides all of it"};

    if (row->loop.hides == HIDDEN_NOT)
        return;
    num_fmt(r->out, "  ^ its loop %s: net %.3f", hides[row->loop.hides], row->figure.cycles.theta);
    if (is_known(row->loop.gross)) {
        num_fmt(r->out, ", gross %.3f cycles an iteration; the empty loop ", row->loop.gross);
    } else {
        fmt(r->out, ", gross not known (noise); the empty loop ");
    }
    num_fmt(r->out, "%.3f\r\n", row->loop.cycles);
}

static void show_vague(struct report *r, const struct row *row)
{
    if (!row->truth.vague)
        return;
    num_fmt(r->out,
            "  ^ its interval of %.3f to %.3f is too wide to distinguish a latency from one a "
            "cycle longer\r\n",
            row->figure.cycles.lo, row->figure.cycles.hi);
}

static void show_above(struct report *r, const struct row *row)
{
    if (!row->truth.above)
        return;
    num_fmt(r->out,
            "  ^ slower than the documented %.3f cycles; not judged: others may have used the core "
            "or its caches\r\n",
            row->truth.cycles);
}

/* Writes the state that the body changed. A row that failed because of it has reported it. */
static void show_changed(struct report *r, const struct row *row)
{
    if (!row->out.changed || row->out.status != ROW_OK)
        return;
    fmt(r->out, "  ^ its body changed ");
    window_kept_text(row->out.changed, r->out);
    fmt(r->out, "; it was restored\r\n");
}

static void show_x87_fault(struct report *r, const struct row *row)
{
    if (row->taken.x87_stack_fault)
        fmt(r->out, "  ^ its body overflowed or underflowed the x87 stack; the figure includes the "
                    "CPU's handling of that\r\n");
}

static void show_missing(struct report *r, const struct run_facts *run, const struct row *row)
{
    const char *why = per_op_missing(run, row);

    const char *no_interval = per_op_no_interval(run, row);

    if (why)
        fmt(r->out, "  ^ no figure: %s\r\n", why);
    if (no_interval)
        fmt(r->out, "  ^ no interval: %s\r\n", no_interval);
}

/* Writes the notes about problems. */
static void show_trouble(struct report *r, const struct run_facts *run, const struct row *row)
{
    if (row->out.status == ROW_WRONG)
        fmt(r->out, "  ^ FAIL: %s\r\n", row->out.why);
    show_missing(r, run, row);
    if (row->taken.errors)
        fmt(r->out, "  ^ %u operations failed; their samples are left out\r\n", row->taken.errors);
    size_t n = row->gross.ticks.n ? row->gross.ticks.n : row->method.body.all.n;
    if (row->taken.disturbed * 100ull > n) /* above 1%; the record always has the number */
        fmt(r->out, "  ^ %u of %zu windows disturbed\r\n", row->taken.disturbed, n);
    if (row->out.smis)
        fmt(r->out, "  ^ %llu SMIs came\r\n", (unsigned long long)row->out.smis);
    show_changed(r, row);
    show_x87_fault(r, row);
    show_work(r, row);
    witness_show_row(row, r->out);
    if (run->kept->show)
        run->kept->show(row->out.kept, r->out);
    show_second_source(r, run, row);
}

static void show_line(struct report *r, const struct run_facts *run, const struct row *row)
{
    show_name(r, run, row);
    if (row->out.status == ROW_UNSUPPORTED) {
        show_why_not(r, run, row);
        return;
    }
    columns_show(r, run, row);
    fmt(r->out, "\r\n");
    method_notes(r, run, row);
    show_trouble(r, run, row);
    show_history(r, run, row);
    show_hidden(r, row);
    show_vague(r, row);
    show_above(r, row);
    slowdown_show(r, run, row);
    compare_units_show(r, run, row);
    if (sweep_made(run, row))
        show_sweep(r, row);
    else if (run_has_cycles(run))
        show_modes(r, &row->figure);
    if (run_has_cycles(run))
        show_fallback(r, run, row);
}

static void show_figure(struct report *r, const char *name, double v, int decimals)
{
    num_fmt(r->out, "  %s %.*f", name, decimals, v);
}

/* Writes "2.000 instructions/op  IPC 0.62  by 173 steps". */
static void show_steps(struct report *r, const struct run_facts *run, const struct row *row)
{
    const struct stepped *s = &row->stepped;

    if (!s->tried || units_are_instructions(run))
        return;
    fmt(r->out, " ");
    if (s->why_not[0]) {
        fmt(r->out, " instructions not counted: %s\r\n", s->why_not);
        return;
    }
    per_op_number(r, s->instructions, 3, 0);
    fmt(r->out, " instructions/op");
    if (is_known(units_ipc(run, row)))
        show_figure(r, "IPC", units_ipc(run, row), 2);
    if (s->iterations != 0)
        show_figure(r, "string iterations/op", s->iterations, 3);
    fmt(r->out, "  by %llu steps\r\n", (unsigned long long)s->traps);
}

static void draw_histogram(struct report *r, const struct run_facts *run, const struct row *row)
{
    struct bin bins[DRAWN_BINS];
    uint64_t rest, most = 1;
    size_t n = histogram_fullest(row->gross.hist, bins, DRAWN_BINS, &rest);

    for (size_t i = 0; i < n; i++)
        most = bins[i].count > most ? bins[i].count : most;
    for (size_t i = 0; i < n; i++) {
        char bar[BAR + 1];
        uint64_t length = (bins[i].count * BAR + most - 1) / most;
        for (unsigned c = 0; c < BAR; c++)
            bar[c] = c < length ? '#' : ' ';
        bar[BAR] = 0;
        num_fmt(r->out, "    %10.0f %s %llu\r\n", units_of(run, (double)bins[i].value), bar,
                (unsigned long long)bins[i].count);
    }
    if (rest)
        fmt(r->out, "    %10s %*s %llu\r\n", "others", BAR, "", (unsigned long long)rest);
}

static void show_details(struct report *r, const struct run_facts *run, const struct row *row)
{
    const struct statistics *t = &row->gross.ticks;

    if (t->n == 0)
        return;
    fmt(r->out, "  n %zu, %s a window, recipe %s, %u warm-up blocks%s\r\n ", t->n,
        units_window(run), recipe_names[row->recipe], row->taken.warmup_blocks,
        row->taken.steady ? "" : " (not steady)");
    show_figure(r, "p25", units_of(run, t->p25), 1);
    show_figure(r, "p75", units_of(run, t->p75), 1);
    show_figure(r, "mean", units_of(run, t->mean), 2);
    show_figure(r, "sd", units_of(run, t->sd), 2);
    show_figure(r, "MAD", units_of(run, t->mad), 1);
    if (row->gross.has_net) {
        show_figure(r, "empty", units_of(run, row->gross.empty.mean), 2);
        show_figure(r, "net", units_of(run, row->gross.net), 2);
    }
    if (units_have_core_hz(run, row)) {
        show_figure(r, "core", units_core_hz(run, row) / 1e6, 1);
        fmt(r->out, " MHz");
    }
    fmt(r->out, "\r\n");
    show_steps(r, run, row);
    if (run->o->hist != HIST_OFF)
        draw_histogram(r, run, row);
}

struct counter {
    struct sink sink;
    size_t bytes;
};

static void count(struct sink *self, const char *bytes, size_t n)
{
    (void)bytes;
    ((struct counter *)self)->bytes += n; /* sink is the first member */
}

/* Writes the notes to a sink that only counts bytes. */
bool show_has_trouble(const struct report *r, const struct run_facts *run, const struct row *row)
{
    struct counter nobody = {{count}, 0};
    struct report silent = *r;

    silent.out = &nobody.sink;
    show_trouble(&silent, run, row);
    show_history(&silent, run, row);
    show_hidden(&silent, row);
    show_vague(&silent, row);
    return nobody.bytes > 0;
}

void line_figure(struct report *r, const struct row *row, double value, const char *unit)
{
    if (!report_lines(r) || row->out.status == ROW_UNSUPPORTED)
        return;
    fmt(r->out, "BT %s/%s@%u ", row->out.bench->suite, row->out.bench->name, row->out.core);
    if (is_known(value)) {
        num_fmt(r->out, "%.*f %s", LINE_DECIMALS, value, unit);
    } else {
        fmt(r->out, "- -");
    }
    fmt(r->out, " %s\r\n", row->out.status == ROW_OK ? "pass" : "fail");
}

static void line_row(struct report *r, const struct run_facts *run, const struct row *row)
{
    const struct row_figure *h = &row->figure;
    const char *unit = units_window(run);
    struct per_op op = per_op_of(run, h);

    if (h->known)
        line_figure(r, row, op.value, op.unit);
    else if (row->gross.ticks.n)
        line_figure(r, row, units_of(run, row->gross.ticks.median), unit);
    else
        line_figure(r, row, UNKNOWN, unit);
}

void show_row(struct report *r, const struct run_facts *run, const struct row *row, enum show how)
{
    if (report_table(r) && how != SHOW_RECORD) {
        report_fresh_line(r);
        show_line(r, run, row);
        if (how == SHOW_DETAILS)
            show_details(r, run, row);
    }
    line_row(r, run, row);
    record_row(r, run, row, NULL);
}
