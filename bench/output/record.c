#include "bench/output/show.h"
#include "bench/api/declare.h"
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

void record_row(struct report *r, const struct run_facts *run, const struct row *row)
{
    static const char *const hides[] = {
        [HIDDEN_MAYBE] = "maybe", [HIDDEN_PART] = "part", [HIDDEN_ALL] = "all"};
    static const char *const by[] = {[ESTIMATE_METHOD] = "method",
                                     [ESTIMATE_RANKS] = "ranks",
                                     [ESTIMATE_ROUNDS] = "rounds",
                                     [ESTIMATE_PLACEMENTS] = "placements",
                                     [ESTIMATE_BLOCKS] = "blocks"};
    static const char *const kinds[] = {
        [MODE_ONLY] = "only", [MODE_LAYOUT] = "layout", [MODE_TIME] = "time"};
    const struct bench *b = row->out.bench;
    const struct statistics *t = &row->gross.ticks;
    const struct row_figure *h = &row->figure;
    const struct estimate *e = &h->cycles, *ruler = &h->ruler.cycles;
    const struct stepped *s = &row->stepped;
    const bool doubled = row->method.method == METHOD_DOUBLED,
               counted = units_are_instructions(run);
    const bool ran = row->out.status != ROW_UNSUPPORTED, measured = ran && doubled;
    const bool witnessed = ran && !run->witness.why_not && row->taken.blocks > 0;
    const bool has_ticks = measured && t->n > 0, has_net = has_ticks && row->gross.has_net;
    const bool has_figure = doubled ? has_net : ran && h->known;
    /* The record of method=adaptive, which times its operations, already has it. */
    const bool has_speed = has_figure && !counted && row->method.method != METHOD_ADAPTIVE;
    const bool has_cycles = has_figure && run_has_cycles(run) && !counted;
    const bool has_loop = has_cycles && doubled && is_known(row->loop.cycles);
    const bool has_rounds = run->rounds > 1 && row->spread.round_theta;
    const bool two_sources = has_cycles && run->cycle.counter.used;
    struct json line, *j = &line;
    struct sink_buf text;
    char changed[192];

    sink_buf_init(&text, changed, sizeof changed);
    if (row->out.changed)
        window_kept_text(row->out.changed, &text.sink);
    if (!report_record(r, j, "row"))
        return;
#include "bench/api/fields/row.def"
    json_end(j);
}
