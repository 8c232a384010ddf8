#include "bench/output/show.h"
#include "bench/api/declare.h"
#include "bench/api/kind.h"
#include "bench/result/kept.h"
#include "bench/result/cycles.h"
#include "bench/result/sweep.h"
#include "bench/result/facts.h"
#include "bench/objects/objects.h"
#include "bench/output/compare.h"
#include "bench/output/method_show.h"
#include "bench/output/per_op.h"
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
    for (size_t i = 0; i < n; i++)
        json_u64s(j, (const uint64_t[]){bin[i].value, bin[i].count}, 2);
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

void record_row(struct report *r, const struct run_facts *run, const struct row *row,
                const struct team_result *team)
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
    const struct estimate *e = team ? &team->ticks : &h->cycles, *ruler = &h->ruler.cycles;
    const struct stepped *s = &row->stepped;
    const bool doubled = row->method.method == METHOD_DOUBLED,
               counted = units_are_instructions(run);
    /* Of several cores: they met, and run in parallel. */
    const bool meets = team && row->out.status == ROW_OK, judged = run->execution == EXEC_SILICON;
    const int digits = team ? 3 : 6;
    const bool ran = !team && row->out.status != ROW_UNSUPPORTED, measured = ran && doubled;
    const bool witnessed = ran && !run->witness.why_not && row->taken.blocks > 0;
    const bool has_ticks = measured && t->n > 0, has_net = has_ticks && row->gross.has_net;
    const bool has_figure = doubled ? has_net : ran && h->known;
    /* method=adaptive times its operations, and has its own seconds and rate. */
    const bool has_speed = has_figure && !counted && row->method.method != METHOD_ADAPTIVE;
    const struct method_total *took = &row->method.seconds;
    const bool timed = ran && !row->out.ended && row->method.method == METHOD_ADAPTIVE;
    const bool has_rate = timed ? took->valid && !counted && took->value > took->error
                                : has_speed && units_have_ns(run) && units_above_zero(run, row);
    const bool has_cycles = has_figure && run_has_cycles(run) && !counted;
    const bool has_loop = has_cycles && doubled && is_known(row->loop.cycles);
    const bool has_rounds = run->rounds > 1 && row->spread.round_theta;
    const bool two_sources = has_cycles && run->cycle.counter.used;
    const bool swept = has_figure && sweep_made(run, row);
    struct sweep sweep[LAYOUT_PARTS];
    struct json line, *j = &line;
    struct sink_buf text;
    char changed[192];

    for (unsigned part = 0; swept && part < LAYOUT_PARTS; part++)
        sweep[part] = sweep_of(row->spread.theta + part * LAYOUT_OFFSETS);

    sink_buf_init(&text, changed, sizeof changed);
    if (row->out.changed)
        window_kept_text(row->out.changed, &text.sink);
    if (!report_record(r, j, "row"))
        return;
#include "bench/api/fields/row.def"
    if (team) {
#include "bench/api/fields/row_cores.def"
    }
    json_end(j);
}
