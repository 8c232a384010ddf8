/* Measures contention: 1, 2, 4 ... and all cores at once, for a fixed time. */
#include "bench/cores/crowd.h"
#include "bench/cores/crowd_part.h"
#include "bench/cores/plan.h"
#include "bench/api/tsc.h"
#include "lib/text/mem.h"

static bool round_here(struct crowd *c, struct crowd_core *cc, unsigned place, unsigned round)
{
    if (!crowd_pass(c, place))
        return false;
    uint64_t began = tsc_now(), operations = 0, ticks;
    bool good;
    do {
        good = c->batch(c, place, c->operations);
        operations += good ? c->operations : 0;
        ticks = tsc_now() - began;
    } while (good && ticks < c->duration);
    cc->round_operations[round] = operations;
    cc->round_ticks[round] = ticks;
    cc->operations += operations;
    return good;
}

struct contestant {
    struct crowd *crowd;
    unsigned place;
};

static void all_rounds(void *ctx)
{
    const struct contestant *contestant = ctx;
    struct crowd *c = contestant->crowd;
    struct crowd_core *cc = &c->core[contestant->place];
    unsigned round = 0, rounds = c->silicon ? CROWD_ROUNDS : 1;

    while (round < rounds && round_here(c, cc, contestant->place, round))
        round++;
    cc->complete = round == rounds;
}

static void contest_here(void *ctx, unsigned core)
{
    struct contestant contestant = {.crowd = ctx};

    while (contestant.crowd->plan->present[contestant.place] != core)
        contestant.place++;
    crowd_part(contestant.crowd, contestant.place, all_rounds, &contestant);
}

/* Returns one round's figures. */
static struct contest judge(const struct crowd *c, unsigned n, unsigned round)
{
    struct contest result = {.cores = n};
    double ticks = 0, operations = 0;

    for (unsigned i = 0; i < n; i++) {
        const struct crowd_core *s = &c->core[i];
        double mine = (double)s->round_ticks[round] / (double)s->round_operations[round];
        if (i == 0 || mine < result.least)
            result.least = mine;
        if (i == 0 || mine > result.greatest)
            result.greatest = mine;
        ticks += (double)s->round_ticks[round];
        operations += (double)s->round_operations[round];
    }
    result.ticks = ticks / operations;
    return result;
}

/* Returns the median round. */
static struct contest middle(const struct crowd *c, unsigned n, unsigned rounds)
{
    struct contest sorted[CROWD_ROUNDS] = {{0}};

    for (unsigned i = 0; i < rounds; i++) {
        unsigned at = i;
        struct contest now = judge(c, n, i);
        for (; at > 0 && sorted[at - 1].ticks > now.ticks; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = now;
    }
    return sorted[rounds / 2];
}

/* Clears the shared counters. */
static void clear(struct crowd *c, unsigned n)
{
    memset(c->shared, 0, crowd_lines(n) * sizeof *c->shared);
    c->hot = c->ticket = c->serving = c->guarded = 0;
}

static enum crowd_end meet(struct crowd *c, unsigned n,
                           uint64_t (*counted)(const struct crowd *, unsigned))
{
    uint64_t operations;

    clear(c, n);
    enum crowd_end end = crowd_meet(c, n, contest_here, c, &operations);
    if (end != CROWD_MET || counted(c, n) == operations)
        return end;
    crowd_fail(c, ROW_WRONG, "operations were lost: the counters do not add up");
    return CROWD_FAILED;
}

static bool step(struct crowd *c, unsigned n, uint64_t (*counted)(const struct crowd *, unsigned))
{
    enum crowd_end end = CROWD_AGAIN;

    while (end == CROWD_AGAIN) {
        if (!crowd_go_on(c))
            return false;
        end = meet(c, n, counted);
    }
    if (end == CROWD_FAILED)
        return false;
    c->met.contest[c->met.contests++] = middle(c, n, c->silicon ? CROWD_ROUNDS : 1);
    return true;
}

void crowd_contest(struct crowd *c, bool (*batch)(struct crowd *, unsigned, unsigned),
                   unsigned operations, uint64_t (*counted)(const struct crowd *, unsigned))
{
    unsigned n = crowd_take_places(c);

    c->batch = batch;
    c->operations = operations;
    for (unsigned cores = 1; cores < n; cores *= 2)
        if (!step(c, cores, counted))
            return;
    if (step(c, n, counted))
        c->met.row.figure.ticks = c->met.contest[c->met.contests - 1].ticks;
}
