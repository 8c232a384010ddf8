/* Measures transfers between two cores: every pair, or above a limit a sample of the pairs. Every
 * pass meets the same pairs in the same order. */
#include "bench/kinds/crowd.h"
#include "bench/kinds/crowd_part.h"
#include "bench/engine/plan.h"
#include "lib/stats/mathx.h"
#include "lib/stats/stats.h"

#define SIGNALS 3 /* wake-ups and interrupts of each core in a pass; odd */

static unsigned place_of(const struct crowd *c, unsigned core)
{
    return c->plan->core[c->places[0]].engine.facts.core == core ? 0 : 1;
}

struct player {
    struct crowd *crowd;
    unsigned side;
};

static void play_side(void *ctx)
{
    const struct player *p = ctx;
    struct crowd *c = p->crowd;

    if (!crowd_pass(c, p->side))
        return;
    crowd_waits(c, p->side, true); /* at each round trip */
    exchange_play(&c->exchange, p->side);
    crowd_waits(c, p->side, false);
}

static void play_here(void *ctx, unsigned core)
{
    struct player p = {ctx, place_of(ctx, core)};

    crowd_part(p.crowd, p.side, play_side, &p);
}

/* Runs one exchange of the cores k and l. */
static enum crowd_end play(struct crowd *c, unsigned k, unsigned l, bool stamped)
{
    const unsigned places[2] = {k, l};

    c->places = places;
    exchange_init(&c->exchange, stamped, c->silicon, c->patience);
    const char *why = plan_on_all(c->plan, places, 2, play_here, c);
    enum crowd_end end = why ? CROWD_FAILED : crowd_parts_done(c, 2);
    crowd_fail(c, ROW_WRONG, why);
    if (end == CROWD_MET && !exchange_complete(&c->exchange))
        end = crowd_late(c, "two cores did not complete all exchanges");
    return end;
}

/* Takes the times of two cores in this pass; a and b are set. */
static struct pair *note(struct crowd *c, struct pair now)
{
    struct pair *p = &c->met.pair[c->taken++];

    if (c->pass == 0) {
        *p = now;
        c->met.pairs = c->taken;
    }
    p->pass[c->pass] = now.median;
    p->median = crowd_over(c, p->pass).theta;
    p->least = now.least < p->least ? now.least : p->least;
    p->greatest = now.greatest > p->greatest ? now.greatest : p->greatest;
    return p;
}

static struct pair pair_of(const struct crowd *c, unsigned k, unsigned l)
{
    return (struct pair){.a = c->plan->list[k], .b = c->plan->list[l]};
}

/* Takes sorted ticks of n times `operations`. */
static void note_sorted(struct crowd *c, struct pair cores, const uint64_t *ticks, unsigned n,
                        double operations)
{
    cores.least = (double)ticks[0] / operations;
    cores.median = (double)ticks[n / 2] / operations;
    cores.greatest = (double)ticks[n - 1] / operations;
    note(c, cores);
}

static void note_pingpong(struct crowd *c, unsigned k, unsigned l)
{
    struct exchange *x = &c->exchange;

    c->per_reading = 2 * x->round_trips;
    stats_sort(x->ticks, EXCHANGE_BATCHES);
    note_sorted(c, pair_of(c, k, l), x->ticks, EXCHANGE_BATCHES, c->per_reading);
}

/* Every pass has bounds of the lead, and all of them hold: the pair's are the narrowest. */
static void note_skew(struct crowd *c, unsigned k, unsigned l)
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

static bool both_live(const struct crowd *c, unsigned k, unsigned l)
{
    return !c->plan->core[k].gone && !c->plan->core[l].gone;
}

static bool pair_up(struct crowd *c, unsigned k, unsigned l, bool stamped)
{
    enum crowd_end end = CROWD_AGAIN;

    if (!both_live(c, k, l))
        return true;
    while (end == CROWD_AGAIN) {
        if (!crowd_go_on(c))
            return false;
        end = play(c, k, l, stamped);
    }
    if (end == CROWD_FAILED)
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
static bool sampled(struct crowd *c, bool stamped)
{
    unsigned n = c->plan->all, most = (unsigned)crowd_pairs(CROWD_ALL_PAIRS);
    unsigned rounds = most / n ? most / n : 1, widest = (n - 1) / 2;

    for (unsigned i = 0; i < rounds; i++) {
        unsigned distance = 1 + (rounds > 1 ? i * (widest - 1) / (rounds - 1) : 0);
        for (unsigned k = 0; k < n; k++)
            if (!pair_up(c, k, (k + distance) % n, stamped))
                return false;
    }
    return true;
}

static bool all_pairs(struct crowd *c, bool stamped)
{
    unsigned n = c->plan->all;

    for (unsigned k = 0; k < n; k++)
        for (unsigned l = k + 1; l < n; l++)
            if (!pair_up(c, k, l, stamped))
                return false;
    return true;
}

/* Returns the median of the pairs' medians in this pass. */
static double middle(const struct crowd *c)
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
static double farthest(const struct crowd *c)
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
static bool has_pair(struct crowd *c, const char *why)
{
    if (c->taken == 0)
        crowd_fail(c, ROW_WRONG, why);
    return c->taken > 0;
}

static bool pairs(struct crowd *c, bool stamped)
{
    unsigned n = c->plan->all;

    c->met.pairs_all = n * (n - 1) / 2;
    return (n > CROWD_ALL_PAIRS ? sampled(c, stamped) : all_pairs(c, stamped)) &&
           has_pair(c, "no two cores are left");
}

static bool pingpong_pass(struct crowd *c)
{
    return pairs(c, false);
}

static bool skew_pass(struct crowd *c)
{
    return pairs(c, true);
}

void crowd_pingpong(struct crowd *c)
{
    crowd_passes(c, pingpong_pass, middle);
}

void crowd_skew(struct crowd *c)
{
    crowd_passes(c, skew_pass, farthest);
}

/* --- duets ------------------------------------------------------------------------------------ */

static void duet_side(void *ctx)
{
    const struct player *p = ctx;
    struct crowd *c = p->crowd;

    if (crowd_pass(c, p->side))
        c->duet->side(c, p->side);
}

static void duet_here(void *ctx, unsigned core)
{
    struct player p = {ctx, place_of(ctx, core)};

    crowd_part(p.crowd, p.side, duet_side, &p);
}

static enum crowd_end duet_once(struct crowd *c, unsigned k, unsigned l)
{
    const unsigned places[2] = {k, l};

    c->places = places;
    c->duet->begin(c);
    const char *why = plan_on_all(c->plan, places, 2, duet_here, c);
    enum crowd_end end = why ? CROWD_FAILED : crowd_parts_done(c, 2);
    crowd_fail(c, ROW_WRONG, why);
    why = end == CROWD_MET ? c->duet->incomplete(c) : NULL;
    return why ? crowd_late(c, why) : end;
}

/* Returns by how much the TSC of one core is ahead of another's. */
static int64_t ahead(const struct crowd *c, unsigned k, unsigned l)
{
    const struct core_facts *facts = c->plan->p->cores->facts;

    return facts[c->plan->list[l]].tsc_offset - facts[c->plan->list[k]].tsc_offset;
}

static bool duet_of(struct crowd *c, unsigned k, unsigned l)
{
    enum crowd_end end = CROWD_AGAIN;
    uint64_t ticks[CROWD_TIMES];

    while (end == CROWD_AGAIN) {
        if (!crowd_go_on(c))
            return false;
        end = duet_once(c, k, l);
    }
    if (end == CROWD_FAILED)
        return false;
    unsigned n = c->duet->times(c, ahead(c, k, l), ticks);
    stats_sort(ticks, n);
    note_sorted(c, pair_of(c, k, l), ticks, n, 1);
    return true;
}

static bool duet_pass(struct crowd *c)
{
    unsigned n = c->plan->all, distance[] = {1, n / 2}, distances = n / 2 > 1 ? 2 : 1;

    for (unsigned k = 0; k < n; k++)
        for (unsigned i = 0; i < distances; i++) {
            unsigned l = (k + distance[i]) % n;
            if (both_live(c, k, l) && !duet_of(c, k, l))
                return false;
        }
    return has_pair(c, "no two cores are left");
}

void crowd_duets(struct crowd *c, const struct crowd_duet *duet)
{
    unsigned n = c->plan->all;

    c->duet = duet;
    c->met.signals = true;
    c->met.pairs_all = n * (n - 1);
    crowd_passes(c, duet_pass, middle);
}

/* --- the platform's signals, from the boot core to each other core ---------------------------- */

typedef bool signal_fn(const struct platform *p, unsigned core, int64_t *ticks);

static bool signal_one(struct crowd *c, unsigned core, signal_fn *signal)
{
    uint64_t ticks[SIGNALS];

    for (unsigned i = 0; i < SIGNALS; i++) {
        int64_t t;
        if (!signal(c->plan->p, core, &t)) {
            crowd_fail(c, ROW_WRONG, "a core did not answer in time");
            return false;
        }
        ticks[i] = t < 0 ? 0 : (uint64_t)t; /* below 0 by the error of the TSCs' offset */
    }
    stats_sort(ticks, SIGNALS);
    note_sorted(c, (struct pair){.a = 0, .b = core}, ticks, SIGNALS, 1);
    return true;
}

static bool signals(struct crowd *c, signal_fn *signal)
{
    for (unsigned k = 0; k < c->plan->all; k++) {
        unsigned core = c->plan->list[k];
        if (core == 0 || c->plan->core[k].gone)
            continue;
        c->met.pairs_all += c->pass == 0;
        if (!crowd_go_on(c) || !signal_one(c, core, signal))
            return false;
    }
    return has_pair(c, "no other core is left");
}

static bool wake_pass(struct crowd *c)
{
    return signals(c, c->plan->p->cores->wake);
}

static bool ipi_pass(struct crowd *c)
{
    return signals(c, c->plan->p->cores->ipi);
}

static void all_signals(struct crowd *c, signal_fn *signal, bool (*once)(struct crowd *c))
{
    c->met.signals = true;
    if (signal)
        crowd_passes(c, once, middle);
    else
        crowd_fail(c, ROW_UNSUPPORTED, "this platform cannot do it");
}

void crowd_wake(struct crowd *c)
{
    all_signals(c, c->plan->p->cores->wake, wake_pass);
}

void crowd_ipi(struct crowd *c)
{
    all_signals(c, c->plan->p->cores->ipi, ipi_pass);
}
