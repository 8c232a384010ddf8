#include "bench/output/units.h"
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
    return run_instructions(run, row) / cycles;
}
