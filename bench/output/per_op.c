#include "bench/output/per_op.h"
#include "lib/stats/mathx.h"

bool units_above_zero(const struct run_facts *run, const struct row *row)
{
    const struct row_figure *h = &row->figure;

    if (row->method.method != METHOD_DOUBLED)
        return h->ticks > 0 && h->ticks > row->method.error;
    return h->ticks > 0 && (!run_has_cycles(run) || !(h->cycles.lo <= 0));
}

double units_ipc(const struct run_facts *run, const struct row *row)
{
    double cycles = row->figure.known ? row->figure.cycles.theta : UNKNOWN;

    if (row->loop.hides != HIDDEN_NOT || row->out.bench->proof.varies)
        return UNKNOWN;
    if (run->execution != EXEC_SILICON || !run_has_cycles(run) || !is_known(cycles) ||
        !(row->figure.cycles.lo > 0) || !units_above_zero(run, row))
        return UNKNOWN;
    return run_instructions_timed(run, row) / cycles;
}

struct per_op per_op_of(const struct run_facts *run, const struct row_figure *h)
{
    const char *unit = units_per_op(run);

    if (!h->known)
        return (struct per_op){unit, UNKNOWN, UNKNOWN, 0};
    if (units_are_instructions(run) || !run_has_cycles(run))
        return (struct per_op){unit, units_of(run, h->ticks), UNKNOWN, 0};
    double half = estimate_longer_side(&h->cycles);
    return (struct per_op){unit, h->cycles.theta, half,
                           is_known(half) ? estimate_percent(&h->cycles) : 0};
}

static bool has_windows(const struct row *row)
{
    return row->taken.windows > 0 && bench_has_body(row->out.bench);
}

const char *per_op_missing(const struct run_facts *run, const struct row *row)
{
    const struct row_figure *h = &row->figure;

    if (row->out.status != ROW_OK || row->out.ended || !has_windows(row) ||
        is_known(per_op_of(run, h).value))
        return NULL;
    if (!h->known)
        return "in each block the windows of some kind were disturbed or failed";
    return run->cycle.by == CYCLES_COUNTER
               ? "the counter could not be read around any block"
               : "the ruler's windows were disturbed or did not grow with its adds: noise";
}

const char *per_op_no_interval(const struct run_facts *run, const struct row *row)
{
    struct per_op op = per_op_of(run, &row->figure);

    if (run->execution != EXEC_SILICON || !run_has_cycles(run) || !has_windows(row) ||
        row->out.status != ROW_OK || !is_known(op.value) || is_known(op.half))
        return NULL;
    return row->method.method == METHOD_DOUBLED
               ? "only one block has undisturbed windows of every kind"
               : row->method.no_interval;
}
