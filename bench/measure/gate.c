#include "bench/measure/gate.h"
#include "bench/measure/engine.h"
#include "lib/text/fmt.h"

/*
 * The others are at the same work: ten times its time, and what a host takes that runs all cores
 * of an emulated machine in turn.
 */
#define TIMES             10
#define SECONDS           2
#define SECONDS_EACH_CORE 0.1
#define TSC_HZ_WHERE_DARK 5e9 /* no TSC is faster: where the frequency is not known */

uint64_t gate_patience(const struct engine *e, uint64_t ticks)
{
    double hz = e->tsc_hz > 0 ? e->tsc_hz : TSC_HZ_WHERE_DARK;
    return (uint64_t)(hz * (SECONDS + e->cores * SECONDS_EACH_CORE)) + TIMES * ticks;
}

bool gate_pass(const struct engine *e, uint64_t ticks, struct row *row)
{
    const struct gate *g = e->gate;
    int missing = g ? barrier_pass(g->barrier, g->place, gate_patience(e, ticks)) : BARRIER_GO;
    if (missing == BARRIER_GO)
        return true;
    fmt_buf(row->said, sizeof row->said, "core %u did not come to the start", g->list[missing]);
    row->status = ROW_WRONG;
    row->why = row->said;
    return false;
}
