#include "bench/show/units.h"
#include "lib/stats/known.h"

double units_instructions(const struct engine *e, const struct row *row)
{
    return engine_instructions(e, row);
}

bool units_above_zero(const struct engine *e, const struct row *row)
{
    const struct headline *h = &row->headline;

    if (row->method.method != METHOD_DOUBLED)
        return h->ticks > 0 && h->ticks > row->method.error;
    return h->ticks > 0 && (!cycle_known(e) || !(h->cycles.lo <= 0));
}

double units_ipc(const struct engine *e, const struct row *row)
{
    double cycles = row->headline.known ? row->headline.cycles.theta : UNKNOWN;

    if (row->loop.hides != HIDDEN_NOT)
        return UNKNOWN;
    if (e->execution != EXEC_SILICON || !cycle_known(e) || !is_known(cycles) ||
        !(row->headline.cycles.lo > 0) || !units_above_zero(e, row))
        return UNKNOWN;
    return units_instructions(e, row) / cycles;
}
