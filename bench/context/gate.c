#include "bench/context/gate.h"
#include "lib/cpu/tsc_rate.h"
#include "lib/text/fmt.h"

/*
 * The other cores do the same work: waits ten times its duration, plus the time that a host needs
 * to run all cores of an emulated machine one after another.
 */
#define TIMES             10
#define SECONDS           2
#define SECONDS_EACH_CORE 0.1

uint64_t gate_patience(const struct engine *e, uint64_t ticks)
{
    double hz = run_has_hz(&e->facts) ? e->facts.tsc_hz : TSC_HZ_MAX;

    return (uint64_t)(hz * (SECONDS + e->facts.cores * SECONDS_EACH_CORE)) + TIMES * ticks;
}

bool gate_pass(const struct engine *e, uint64_t ticks, struct row *row)
{
    const struct gate *g = e->gate;
    int missing = g ? barrier_pass(g->barrier, g->place, gate_patience(e, ticks)) : BARRIER_GO;

    if (missing == BARRIER_GO)
        return true;
    fmt_buf(row->said, sizeof row->said, "core %u did not come to the start", g->list[missing]);
    row_fail(row, ROW_WRONG, row->said);
    return false;
}
