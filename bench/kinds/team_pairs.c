/* Measures transfers between two cores: every pair, or above a limit a sample of the pairs. Every
 * pass meets the same pairs in the same order. */
#include "bench/kinds/team.h"
#include "bench/engine/plan.h"
#include "lib/stats/mathx.h"
#include "lib/stats/stats.h"

#define SIGNALS 3 /* wake-ups and interrupts of each core in a pass; odd */

static unsigned place_of(const struct team *c, unsigned core)
{
    return c->plan->core[c->places[0]].engine.facts.core == core ? 0 : 1;
}

struct player {
    struct team *team;
    unsigned side;
};

static void play_side(void *ctx)
{
    const struct player *p = ctx;
    struct team *c = p->team;

    if (!team_pass(c, p->side))
        return;
    team_waits(c, p->side, true); /* at each round trip */
    exchange_play(&c->exchange, p->side);
    team_waits(c, p->side, false);
}

static void play_here(void *ctx, unsigned core)
{
    struct player p = {ctx, place_of(ctx, core)};

    team_part(p.team, p.side, play_side, &p);
}

/* Runs one exchange of the cores k and l. */
static enum team_end play(struct team *c, unsigned k, unsigned l, bool stamped)
{
    const unsigned places[2] = {k, l};

    c->places = places;
    exchange_init(&c->exchange, stamped, c->silicon, c->patience);
    const char *why = plan_on_all(c->plan, places, 2, play_here, c);
    enum team_end end = why ? TEAM_FAILED : team_parts_done(c, 2);
    team_fail(c, ROW_WRONG, why);
    if (end == TEAM_MET && !exchange_complete(&c->exchange))
        end = team_late(c, "two cores did not complete all exchanges");
    return end;
}

/* Takes the times of two cores in this pass; a and b are set. */
static struct pair *note(struct team *c, struct pair now)
{
    struct pair *p = &c->met.pair[c->taken++];

    if (c->pass == 0) {
        *p = now;
        c->met.pairs = c->taken;
    }
    p->pass[c->pass] = now.median;
    p->median = team_over(c, p->pass).theta;
    p->least = now.least < p->least ? now.least : p->least;
    p->greatest = now.greatest > p->greatest ? now.greatest : p->greatest;
    return p;
}

static struct pair pair_of(const struct team *c, unsigned k, unsigned l)
{
    return (struct pair){.a = c->plan->list[k], .b = c->plan->list[l]};
}

/* Takes sorted ticks of n times `operations`. */
static void note_sorted(struct team *c, struct pair cores, const uint64_t *ticks, unsigned n,
                        double operations)
{
    cores.least = (double)ticks[0] / operations;
    cores.median = (double)ticks[n / 2] / operations;
    cores.greatest = (double)ticks[n - 1] / operations;
    note(c, cores);
}

static void note_pingpong(struct team *c, unsigned k, unsigned l)
{
    struct exchange *x = &c->exchange;

    c->per_reading = 2 * x->round_trips;
    stats_sort(x->ticks, EXCHANGE_BATCHES);
    note_sorted(c, pair_of(c, k, l), x->ticks, EXCHANGE_BATCHES, c->per_reading);
}

/* Every pass has bounds of the lead, and all of them hold: the pair's are the narrowest. */
static void note_skew(struct team *c, unsigned k, unsigned l)
{
    const struct exchange *x = &c->exchange;
    const struct pair *before = c->pass > 0 ? &c->met.pair[c->taken] : NULL;
    struct pair now = pair_of(c, k, l);
    double least = (double)x->ahead_least, most = (double)x->ahead_most;

    now.median = (least + most) / 2;
    c->met.backwards += x->backwards;
    if (before && before->least > least)
        least = before->least;
    if (before && before->greatest < most)
        most = before->greatest;
    struct pair *p = note(c, now);
    p->least = least;
    p->median = (least + most) / 2;
    p->greatest = most;
}

static bool both_live(const struct team *c, unsigned k, unsigned l)
{
    return !c->plan->core[k].gone && !c->plan->core[l].gone;
}

static bool pair_up(struct team *c, unsigned k, unsigned l, bool stamped)
{
    enum team_end end = TEAM_AGAIN;

    if (!both_live(c, k, l))
        return true;
    while (end == TEAM_AGAIN) {
        if (!team_go_on(c))
            return false;
        end = play(c, k, l, stamped);
    }
    if (end == TEAM_FAILED)
        return false;
    if (stamped)
        note_skew(c, k, l);
    else
        note_pingpong(c, k, l);
    return true;
}

/*
 * Samples the pairs above the limit: each core with the core at a distance in the list. The
 * distances are spread over half of the list. Distance 1 is first, so that every core is in a pair.
 */
static bool sampled(struct team *c, bool stamped)
{
    unsigned n = c->plan->all, most = (unsigned)team_pairs_most(TEAM_ALL_PAIRS);
    unsigned rounds = most / n ? most / n : 1, widest = (n - 1) / 2;

    for (unsigned i = 0; i < rounds; i++) {
        unsigned distance = 1 + (rounds > 1 ? i * (widest - 1) / (rounds - 1) : 0);
        for (unsigned k = 0; k < n; k++)
            if (!pair_up(c, k, (k + distance) % n, stamped))
                return false;
    }
    return true;
}

static bool all_pairs(struct team *c, bool stamped)
{
    unsigned n = c->plan->all;

    for (unsigned k = 0; k < n; k++)
        for (unsigned l = k + 1; l < n; l++)
            if (!pair_up(c, k, l, stamped))
                return false;
    return true;
}

/* Returns the median of the pairs' medians in this pass. */
static double middle(const struct team *c)
{
    for (unsigned i = 0; i < c->met.pairs; i++) {
        double mine = c->met.pair[i].pass[c->pass];
        unsigned below = 0;
        for (unsigned j = 0; j < c->met.pairs; j++) {
            double other = c->met.pair[j].pass[c->pass];
            below += other < mine || (j < i && other == mine);
        }
        if (below == (c->met.pairs - 1) / 2)
            return mine;
    }
    return UNKNOWN;
}

/* Returns the difference of this pass that is farthest from 0, as a magnitude. */
static double farthest(const struct team *c)
{
    double most = UNKNOWN;

    for (unsigned i = 0; i < c->met.pairs; i++) {
        double mine = c->met.pair[i].pass[c->pass];
        mine = mine < 0 ? -mine : mine;
        if (!(mine <= most)) /* true also while `most` is UNKNOWN */
            most = mine;
    }
    return most;
}

/* Returns whether this pass has a pair. */
static bool has_pair(struct team *c, const char *why)
{
    if (c->taken == 0)
        team_fail(c, ROW_WRONG, why);
    return c->taken > 0;
}

static bool pairs(struct team *c, bool stamped)
{
    unsigned n = c->plan->all;

    c->met.pairs_all = n * (n - 1) / 2;
    return (n > TEAM_ALL_PAIRS ? sampled(c, stamped) : all_pairs(c, stamped)) &&
           has_pair(c, "no two cores are left");
}

static bool pingpong_pass(struct team *c)
{
    return pairs(c, false);
}

static bool skew_pass(struct team *c)
{
    return pairs(c, true);
}

void team_pingpong(struct team *c)
{
    team_passes(c, pingpong_pass, middle);
}

void team_skew(struct team *c)
{
    team_passes(c, skew_pass, farthest);
}

/* --- pairings ------------------------------------------------------------------------------- */

static void pairing_side(void *ctx)
{
    const struct player *p = ctx;
    struct team *c = p->team;

    if (team_pass(c, p->side))
        c->pairing->side(c, p->side);
}

static void pairing_here(void *ctx, unsigned core)
{
    struct player p = {ctx, place_of(ctx, core)};

    team_part(p.team, p.side, pairing_side, &p);
}

static enum team_end pairing_once(struct team *c, unsigned k, unsigned l)
{
    const unsigned places[2] = {k, l};

    c->places = places;
    c->pairing->begin(c);
    const char *why = plan_on_all(c->plan, places, 2, pairing_here, c);
    enum team_end end = why ? TEAM_FAILED : team_parts_done(c, 2);
    team_fail(c, ROW_WRONG, why);
    why = end == TEAM_MET ? c->pairing->incomplete(c) : NULL;
    return why ? team_late(c, why) : end;
}

/* Returns by how much the TSC of one core is ahead of another's. */
static int64_t ahead(const struct team *c, unsigned k, unsigned l)
{
    const struct core_facts *facts = c->plan->p->cores->facts;

    return facts[c->plan->list[l]].tsc_offset - facts[c->plan->list[k]].tsc_offset;
}

static bool pairing_of(struct team *c, unsigned k, unsigned l)
{
    enum team_end end = TEAM_AGAIN;
    uint64_t ticks[TEAM_TIMES];

    while (end == TEAM_AGAIN) {
        if (!team_go_on(c))
            return false;
        end = pairing_once(c, k, l);
    }
    if (end == TEAM_FAILED)
        return false;
    unsigned n = c->pairing->times(c, ahead(c, k, l), ticks);
    stats_sort(ticks, n);
    note_sorted(c, pair_of(c, k, l), ticks, n, 1);
    return true;
}

static bool pairing_pass(struct team *c)
{
    unsigned n = c->plan->all, distance[] = {1, n / 2}, distances = n / 2 > 1 ? 2 : 1;

    for (unsigned k = 0; k < n; k++)
        for (unsigned i = 0; i < distances; i++) {
            unsigned l = (k + distance[i]) % n;
            if (both_live(c, k, l) && !pairing_of(c, k, l))
                return false;
        }
    return has_pair(c, "no two cores are left");
}

void team_pairings(struct team *c, const struct team_pairing *pairing)
{
    unsigned n = c->plan->all;

    c->pairing = pairing;
    c->met.signals = true;
    c->met.pairs_all = n * (n - 1);
    team_passes(c, pairing_pass, middle);
}

/* --- the platform's signals, from the boot core to each other core ---------------------------- */

typedef bool signal_fn(const struct platform *p, unsigned core, int64_t *ticks);

static bool signal_one(struct team *c, unsigned core, signal_fn *signal)
{
    uint64_t ticks[SIGNALS];

    for (unsigned i = 0; i < SIGNALS; i++) {
        int64_t t;
        if (!signal(c->plan->p, core, &t)) {
            team_fail(c, ROW_WRONG, "a core did not answer in time");
            return false;
        }
        ticks[i] = t < 0 ? 0 : (uint64_t)t; /* below 0 by the error of the TSCs' offset */
    }
    stats_sort(ticks, SIGNALS);
    note_sorted(c, (struct pair){.a = 0, .b = core}, ticks, SIGNALS, 1);
    return true;
}

static bool signals(struct team *c, signal_fn *signal)
{
    for (unsigned k = 0; k < c->plan->all; k++) {
        unsigned core = c->plan->list[k];
        if (core == 0 || c->plan->core[k].gone)
            continue;
        c->met.pairs_all += c->pass == 0;
        if (!team_go_on(c) || !signal_one(c, core, signal))
            return false;
    }
    return has_pair(c, "no other core is left");
}

static bool wake_pass(struct team *c)
{
    return signals(c, c->plan->p->cores->wake);
}

static bool ipi_pass(struct team *c)
{
    return signals(c, c->plan->p->cores->ipi);
}

static void all_signals(struct team *c, signal_fn *signal, bool (*once)(struct team *c))
{
    c->met.signals = true;
    if (signal)
        team_passes(c, once, middle);
    else
        team_fail(c, ROW_UNSUPPORTED, "this platform cannot do it");
}

void team_wake(struct team *c)
{
    all_signals(c, c->plan->p->cores->wake, wake_pass);
}

void team_ipi(struct team *c)
{
    all_signals(c, c->plan->p->cores->ipi, ipi_pass);
}
