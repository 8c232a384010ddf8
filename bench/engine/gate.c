#include "bench/engine/barrier.h"
#include "lib/cpu/tsc_rate.h"
#include "lib/text/fmt.h"

/*
 * The other cores do the same work: waits ten times its duration, plus the time that a host needs
 * to run all cores of an emulated machine one after another.
 */
#define TIMES             10
#define STARVED_TIMES     4 /* where the system may give a core no CPU */
#define SECONDS           2
#define SECONDS_EACH_CORE 0.1

uint64_t gate_patience(const struct engine *e, uint64_t ticks)
{
    double hz = run_has_hz(&e->facts) ? e->facts.tsc_hz : TSC_HZ_MAX;

    return (uint64_t)(hz * (SECONDS + e->facts.cores * SECONDS_EACH_CORE)) + TIMES * ticks;
}

/* Returns the place that did not arrive, or BARRIER_GO. */
static int wait_for_all(const struct engine *e, uint64_t ticks)
{
    const struct platform *p = e->p;
    uint64_t patience = gate_patience(e, ticks);

    if (p->cores && p->cores->starved)
        patience *= STARVED_TIMES;
    if (p->row.waits)
        p->row.waits(true);
    int missing = barrier_pass(e->gate->barrier, e->gate->place, patience);
    if (p->row.waits)
        p->row.waits(false);
    return missing;
}

bool gate_pass(const struct engine *e, uint64_t ticks, struct outcome *out)
{
    struct gate *g = e->gate;
    int missing = g ? wait_for_all(e, ticks) : BARRIER_GO;

    if (missing == BARRIER_GO)
        return true;
    g->missed = true;
    fmt_buf(out->said, sizeof out->said, "core %u did not reach the start", g->list[missing]);
    outcome_fail(out, ROW_WRONG, out->said);
    return false;
}
