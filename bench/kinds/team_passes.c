/* Repeats the rendezvous of a row in passes, so that its figure has an interval. */
#include "bench/kinds/team.h"
#include "bench/engine/plan.h"
#include "lib/stats/mathx.h"

/* Returns the standard error that the TSC's step alone causes: the difference of two readings, each
 * with an error that is uniform over the step. */
static double finest(const struct team *c)
{
    unsigned per = c->per_reading ? c->per_reading : 1;

    return c->plan->core[0].engine.facts.step / mathx_sqrt(6) / per;
}

struct estimate team_over(const struct team *c, const double pass[])
{
    double scratch[MEETING_PASSES];
    const struct estimate_found found = {
        .theta = pass, .placements = c->pass + 1, .se = UNKNOWN, .finest = finest(c)};

    return estimate_over(&found, scratch);
}

void team_passes(struct team *c, bool (*once)(struct team *c),
                 double (*figure)(const struct team *c))
{
    struct team_result *met = &c->met;
    uint64_t patience = c->patience;

    c->passes = c->silicon ? MEETING_PASSES : 1;
    for (c->pass = 0; c->pass < c->passes; c->pass++) {
        c->taken = c->late = 0;
        c->patience = patience;
        if (!once(c))
            return;
        met->pass[c->pass] = figure(c);
        met->ticks = team_over(c, met->pass);
        met->passes = c->pass + 1;
    }
    met->row.figure.ticks = met->ticks.theta;
}
