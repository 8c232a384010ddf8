/* Measures contention: 1, 2, 4 ... and all cores at once, for a fixed time in each pass. */
#include "bench/kinds/crowd.h"
#include "bench/kinds/crowd_part.h"
#include "bench/engine/plan.h"
#include "bench/api/tsc.h"
#include "lib/stats/stats.h"
#include "lib/text/mem.h"

struct contestant {
    struct crowd *crowd;
    unsigned place;
};

static void contend(void *ctx)
{
    const struct contestant *contestant = ctx;
    struct crowd *c = contestant->crowd;
    struct crowd_core *cc = &c->core[contestant->place];

    if (!crowd_pass(c, contestant->place))
        return;
    uint64_t began = tsc_now(), operations = 0, ticks;
    do {
        cc->complete = c->batch(c, contestant->place, c->operations);
        operations += cc->complete ? c->operations : 0;
        ticks = tsc_now() - began;
    } while (cc->complete && ticks < c->duration);
    cc->operations = operations;
    cc->round_ticks[0] = ticks;
}

static void contest_here(void *ctx, unsigned core)
{
    struct contestant contestant = {.crowd = ctx};

    while (contestant.crowd->plan->present[contestant.place] != core)
        contestant.place++;
    crowd_part(contestant.crowd, contestant.place, contend, &contestant);
}

/* Returns this pass's figures of the first n cores. */
static struct contest_pass judge(const struct crowd *c, unsigned n)
{
    struct contest_pass result = {0};
    double ticks = 0, operations = 0;

    for (unsigned i = 0; i < n; i++) {
        const struct crowd_core *s = &c->core[i];
        double mine = (double)s->round_ticks[0] / (double)s->operations;
        if (i == 0 || mine < result.least)
            result.least = mine;
        if (i == 0 || mine > result.greatest)
            result.greatest = mine;
        ticks += (double)s->round_ticks[0];
        operations += (double)s->operations;
    }
    result.ticks = ticks / operations;
    return result;
}

void crowd_contest_note(struct crowd *c, unsigned cores, struct contest_pass now)
{
    struct contest *k = &c->met.contest[c->taken++];
    double ticks[MEETING_PASSES], least[MEETING_PASSES], greatest[MEETING_PASSES];
    unsigned n = c->pass + 1;

    k->cores = cores;
    k->pass[c->pass] = now;
    for (unsigned i = 0; i < n; i++) {
        ticks[i] = k->pass[i].ticks;
        least[i] = k->pass[i].least;
        greatest[i] = k->pass[i].greatest;
    }
    k->ticks = crowd_over(c, ticks);
    double fastest = median(least, n), slowest = median(greatest, n); /* sorts them */
    k->least = c->met.signals ? least[0] : fastest;
    k->greatest = c->met.signals ? greatest[n - 1] : slowest;
    c->met.contests = c->taken > c->met.contests ? c->taken : c->met.contests;
}

double crowd_contest_last(const struct crowd *c)
{
    return c->met.contest[c->taken - 1].pass[c->pass].ticks;
}

/* Clears the shared counters. */
static void clear(struct crowd *c, unsigned n)
{
    memset(c->shared, 0, crowd_lines(n) * sizeof *c->shared);
    c->hot = c->ticket = c->serving = c->guarded = 0;
}

static enum crowd_end meet(struct crowd *c, unsigned n)
{
    uint64_t operations;

    clear(c, n);
    enum crowd_end end = crowd_meet(c, n, contest_here, c, &operations);
    if (end != CROWD_MET || c->counted(c, n) == operations)
        return end;
    crowd_fail(c, ROW_WRONG, "operations were lost: the counters do not add up");
    return CROWD_FAILED;
}

static bool step(struct crowd *c, unsigned n)
{
    enum crowd_end end = CROWD_AGAIN;

    while (end == CROWD_AGAIN) {
        if (!crowd_go_on(c))
            return false;
        end = meet(c, n);
    }
    if (end == CROWD_FAILED)
        return false;
    crowd_contest_note(c, n, judge(c, n));
    return true;
}

static bool contest_pass(struct crowd *c)
{
    unsigned n = crowd_take_places(c);

    for (unsigned cores = 1; cores < n; cores *= 2)
        if (!step(c, cores))
            return false;
    return step(c, n);
}

void crowd_contest(struct crowd *c, bool (*batch)(struct crowd *, unsigned, unsigned),
                   unsigned operations, uint64_t (*counted)(const struct crowd *, unsigned))
{
    c->batch = batch;
    c->operations = c->per_reading = operations;
    c->counted = counted;
    crowd_passes(c, contest_pass, crowd_contest_last);
}
