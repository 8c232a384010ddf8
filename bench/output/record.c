#include "bench/output/show.h"
#include "bench/result/kept.h"
#include "bench/result/cycles.h"
#include "bench/result/facts.h"
#include "bench/result/sweep.h"
#include "bench/objects/objects.h"
#include "bench/output/compare.h"
#include "bench/output/method_show.h"
#include "bench/output/units.h"
#include "lib/text/decimal.h"
#include "lib/stats/mathx.h"
#include "lib/text/json.h"

const char *const record_status[] = {
    [ROW_OK] = "ok",
    [ROW_WRONG] = "wrong",
    [ROW_UNSUPPORTED] = "unsupported",
};

static const char *const record_form[] = {
    [FORM_EMPTY] = "empty",
    [FORM_LOOP] = "loop",
    [FORM_STRAIGHT] = "straight",
    [FORM_FUNCTION] = "function",
};

/* Writes a summary. `bin`: the width of the bins of its quantiles. */
static void record_statistics(struct json *j, const char *name, const struct statistics *s,
                              uint64_t bin)
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
    if (bin > 1)
        json_u64(j, "bin", bin);
    json_close(j);
}

static void record_bins(struct json *j, const struct bin *bin, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        json_array(j, NULL);
        json_u64(j, NULL, bin[i].value);
        json_u64(j, NULL, bin[i].count);
        json_close(j);
    }
}

/* Writes the fullest bins. Full histograms are streamed instead and need no memory. */
static void record_capped_histogram(struct json *j, const struct row *row, uint64_t *rest)
{
    struct bin bins[HIST_CAP];
    size_t n = histogram_fullest(row->gross.hist, bins, HIST_CAP, rest);

    record_bins(j, bins, n);
}

static void record_histogram(struct json *j, const struct run_facts *run, const struct row *row)
{
    uint64_t rest = 0;

    if (run->o->hist == HIST_OFF)
        return;
    json_array(j, "hist");
    if (run->o->hist == HIST_FULL)
        record_bins(j, row->gross.hist->bin, row->gross.hist->used);
    else
        record_capped_histogram(j, row, &rest);
    json_close(j);
    json_nonzero(j, "hist_rest", rest);
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

static void record_ranks(struct json *j, const struct estimate *cycles)
{
    if (cycles->by == ESTIMATE_RANKS)
        json_f64(j, "median_confidence", cycles->median_confidence, 6);
    json_u64(j, "rank", cycles->rank);
    json_f64(j, "within", cycles->within, 6);
}

/* Writes the interval and how it was found (docs/figure.md "The interval"). */
static void record_interval(struct json *j, const struct run_facts *run, const struct row *row)
{
    static const char *const by[] = {[ESTIMATE_METHOD] = "method",
                                     [ESTIMATE_RANKS] = "ranks",
                                     [ESTIMATE_ROUNDS] = "rounds",
                                     [ESTIMATE_PLACEMENTS] = "placements",
                                     [ESTIMATE_BLOCKS] = "blocks"};
    const struct row_figure *h = &row->figure;

    json_object(j, "interval");
    json_str(j, "estimator", h->cycles.by == ESTIMATE_METHOD ? "method" : "median");
    json_str(j, "by", by[h->cycles.by]);
    json_f64(j, "confidence", h->cycles.confidence, 6);
    if (h->cycles.rank > 0)
        record_ranks(j, &h->cycles);
    json_f64(j, "sd", h->cycles.s, 6);
    json_f64(j, "se", h->se, 6);
    if (run->rounds > 1 && row->spread.round_theta) {
        json_f64(j, "rounds_sd", h->cycles.between, 6);
        json_array(j, "rounds_cycles");
        for (unsigned i = 0; i < run->rounds; i++)
            json_f64(j, NULL, row->spread.round_theta[i], 6);
        json_close(j);
    }
    /* A sweep has separate figures, one per offset. */
    if (row->spread.theta && row->spread.placements > 1 && !sweep_made(run, row)) {
        json_array(j, "placements_cycles");
        for (unsigned i = 0; i < row->spread.placements; i++)
            json_f64(j, NULL, row->spread.theta[i], 6);
        json_close(j);
    }
    json_close(j);
}

static void record_sweep(struct json *j, const struct row *row)
{
    json_object(j, "sweep");
    for (unsigned part = 0; part < LAYOUT_PARTS; part++) {
        const double *theta = row->spread.theta + part * LAYOUT_OFFSETS;
        struct sweep w = sweep_of(theta);
        if (w.known == 0)
            continue;
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

/* Writes cycles_ruler or cycles_counter, by the source that is not used, and the difference. */
static void record_second_source(struct json *j, const struct run_facts *run, const struct row *row)
{
    const struct row_figure *h = &row->figure;
    const struct estimate *by_ruler = &h->ruler.cycles;
    double ruler = by_ruler->theta, counter = h->counter.cycles.theta;

    if (run->cycle.by == CYCLES_RULER)
        json_f64(j, "cycles_counter", counter, 6);
    else
        json_f64(j, "cycles_ruler", ruler, 6);
    if (!estimate_is_near_zero(ruler, by_ruler->lo, row->loop.cycles))
        json_f64(j, "counter_off", counter / ruler - 1, 6);
}

/* Writes the source of core cycles, and the core's frequency during this row. */
static void record_source(struct json *j, const struct run_facts *run, const struct row *row)
{
    json_str(j, "cycle_source", run->cycle.source.used->name);
    if (units_have_core_hz(run, row))
        json_f64(j, "core_hz", units_core_hz(run, row), 0);
    if (!run->cycle.counter.used)
        return;
    json_str(j, "cycle_counter", run->cycle.counter.used->name);
    json_u64(j, "counter_unread_blocks", row->taken.unread);
}

/* Writes the cost of an iteration, nothing subtracted. */
static void record_loop(struct json *j, const struct row *row)
{
    static const char *const hides[] = {
        [HIDDEN_MAYBE] = "maybe", [HIDDEN_PART] = "part", [HIDDEN_ALL] = "all"};

    if (row->method.method != METHOD_DOUBLED || !is_known(row->loop.cycles))
        return;
    json_f64(j, "gross_cycles", row->loop.gross, 6);
    json_f64(j, "loop_cycles", row->loop.cycles, 6);
    if (row->loop.hides != HIDDEN_NOT)
        json_str(j, "hidden", hides[row->loop.hides]);
}

static void record_per_op(struct json *j, const struct run_facts *run, const struct row *row)
{
    const struct row_figure *h = &row->figure;
    bool counted = units_are_instructions(run);

    json_object(j, "per_op");
    json_f64(j, "ticks", h->ticks, 6);
    json_f64(j, "instructions", run_instructions(run, row), 6);
    json_f64(j, "ipc", units_ipc(run, row), 4);
    if (units_have_ns(run))
        json_f64(j, "ns", units_ns(run, h->ticks), 6);
    if (run_has_cycles(run) && !counted) {
        json_f64(j, "cycles", h->cycles.theta, 6);
        json_f64(j, "cycles_lo", h->cycles.lo, 6);
        json_f64(j, "cycles_hi", h->cycles.hi, 6);
        json_f64(j, "cycles_mean", h->cycles.mean, 6);
        record_loop(j, row);
        if (run->cycle.counter.used)
            record_second_source(j, run, row);
    }
    if (row->method.method != METHOD_DOUBLED)
        method_record_per_op(j, row);
    json_close(j);
}

/* Writes operations per second, and whether they can be known. The record of method=adaptive, which
 * times its operations, already has them. */
static void record_speed(struct json *j, const struct run_facts *run, const struct row *row)
{
    if (units_are_instructions(run) || row->method.method == METHOD_ADAPTIVE)
        return;
    json_bool(j, "seconds_valid", units_have_ns(run));
    if (units_have_ns(run) && units_above_zero(run, row))
        json_f64(j, "operations_per_second", 1e9 / units_ns(run, row->figure.ticks), 0);
}

static void record_row_figure(struct json *j, const struct run_facts *run, const struct row *row)
{
    const struct row_figure *h = &row->figure;

    record_per_op(j, run, row);
    record_speed(j, run, row);
    json_u64(j, "placements", row->spread.placements);
    json_bool(j, "doubled", h->doubled);
    if (sweep_made(run, row))
        record_sweep(j, row);
    if (run_has_cycles(run) && !units_are_instructions(run)) {
        record_source(j, run, row);
        record_interval(j, run, row);
        if (row->method.method == METHOD_DOUBLED)
            record_modes(j, &h->modes);
        if (row->truth.cycles > 0)
            json_f64(j, "truth_cycles", row->truth.cycles, 3);
        json_true(j, "truth_vague", row->truth.vague);
        json_true(j, "truth_above", row->truth.above);
    }
}

/* Writes the state that the body changed. */
static void record_changed(struct json *j, const struct row *row)
{
    struct sink_buf text;
    char changed[192];

    if (!row->out.changed)
        return;
    sink_buf_init(&text, changed, sizeof changed);
    window_kept_text(row->out.changed, &text.sink);
    json_str(j, "changed", changed);
}

static void record_counts(struct json *j, const struct run_facts *run, const struct row *row)
{
    json_u64(j, "errors", row->taken.errors);
    json_u64(j, "disturbed", row->taken.disturbed);
    record_changed(j, row);
    json_true(j, "wide_vectors", row->taken.wide);
    json_true(j, "x87_stack_fault", row->taken.x87_stack_fault);
    json_u64(j, "nmis", row->out.nmis);
    if (run->counts_smis)
        json_u64(j, "smis", row->out.smis);
    json_u64(j, "windows", row->taken.windows);
    json_u64(j, "sampling_ticks", row->taken.sampling_ticks);
}

/* Writes how the row's instructions were counted. */
static void record_steps(struct json *j, const struct run_facts *run, const struct row *row)
{
    const struct stepped *s = &row->stepped;

    if (row->work != WORK_NOTHING_TO_JUDGE) {
        json_f64(j, "least_instructions", bench_least_instructions(row->out.bench), 6);
        json_bool(j, "work_judged", row->work == WORK_JUDGED);
    }
    if (!s->tried)
        return;
    json_object(j, "stepped");
    if (s->why_not[0]) {
        json_str(j, "why", s->why_not);
    } else {
        json_u64(j, "ops", s->ops);
        json_u64(j, "body", s->body.instructions);
        json_u64(j, "empty", s->empty.instructions);
        if (s->doubled) {
            json_u64(j, "body2", s->body2.instructions);
            json_u64(j, "empty2", s->empty2.instructions);
        }
        if (s->iterations != 0)
            json_f64(j, "iterations", s->iterations, 6);
    }
    json_f64(j, "by_counter", s->by_counter, 6);
    json_u64(j, "traps", s->traps);
    json_nonzero(j, "lost", s->lost);
    if (units_have_ns(run))
        json_f64(j, "us", units_ns(run, (double)s->ticks) / 1000, 1);
    json_close(j);
}

/* Writes the result of a method other than doubled. */
static void record_method(struct json *j, const struct run_facts *run, const struct row *row)
{
    method_record(j, run, row);
    if (row->out.status == ROW_UNSUPPORTED)
        return;
    record_counts(j, run, row);
    witness_record_row(run, row, j);
    if (!row->figure.known)
        return;
    record_row_figure(j, run, row);
    compare_units_record(j, run, row);
}

static void record_figures(struct json *j, const struct run_facts *run, const struct row *row)
{
    json_u64(j, "n", row->gross.ticks.n);
    if (run->execution == EXEC_SILICON)
        json_u64(j, "rounds", row->spread.rounds);
    record_counts(j, run, row);
    witness_record_row(run, row, j);
    json_u64(j, "warmup_blocks", row->taken.warmup_blocks);
    json_bool(j, "steady", row->taken.steady);
    if (row->gross.ticks.n == 0)
        return;
    record_statistics(j, "ticks", &row->gross.ticks, row->gross.hist->width);
    record_histogram(j, run, row);
    if (!row->gross.has_net)
        return;
    record_statistics(j, "empty", &row->gross.empty, row->gross.empty_bin);
    json_object(j, "net");
    json_f64(j, "ticks", row->gross.net, 4);
    if (units_are_instructions(run))
        json_f64(j, "instructions", units_of(run, row->gross.net), 6);
    json_close(j);
    record_row_figure(j, run, row);
    compare_units_record(j, run, row);
}

void record_row(struct report *r, const struct run_facts *run, const struct row *row)
{
    struct json j;

    if (!report_record(r, &j, "row"))
        return;
    json_str(&j, "suite", row->out.bench->suite);
    json_str(&j, "name", row->out.bench->name);
    json_str(&j, "object", objects_name_of(row->out.bench));
    if (row->out.bench->code && row->out.bench->code->args_of)
        json_u64(&j, "arg", row->out.bench->code->arg);
    json_u64(&j, "core", row->out.core);
    json_str(&j, "recipe", recipe_names[row->recipe]);
    json_str(&j, "form", record_form[row->out.bench->window.form]);
    json_u64(&j, "ops", row->out.bench->ops);
    json_bool(&j, "cold", run_is_cold(run, row->out.bench));
    json_str(&j, "status", record_status[row->out.status]);
    json_str(&j, "why", row->out.why);
    if (row->method.method != METHOD_DOUBLED)
        record_method(&j, run, row);
    else if (row->out.status != ROW_UNSUPPORTED)
        record_figures(&j, run, row);
    record_steps(&j, run, row);
    slowdown_record(&j, run, row);
    if (row->out.status != ROW_UNSUPPORTED && run->kept->record)
        run->kept->record(row->out.kept, &j);
    json_end(&j);
}
