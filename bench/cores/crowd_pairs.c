/* Measures transfers between two cores: every pair, or above a limit a sample of the pairs. */
#include "bench/cores/crowd.h"
#include "bench/cores/crowd_part.h"
#include "bench/cores/plan.h"
#include "lib/stats/known.h"
#include "lib/stats/stats.h"

#define SIGNALS     33 /* wake-ups and interrupts of each core; odd */
#define SIGNALS_FEW 3

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

static void note(struct crowd *c, unsigned k, unsigned l, struct pair p)
{
    p.a = c->plan->list[k];
    p.b = c->plan->list[l];
    c->met.pair[c->met.pairs++] = p;
}

static void note_pingpong(struct crowd *c, unsigned k, unsigned l)
{
    struct exchange *x = &c->exchange;
    double way = 2.0 * x->round_trips;

    stats_sort(x->ticks, x->batches);
    note(c, k, l,
         (struct pair){.least = (double)x->ticks[0] / way,
                       .median = (double)x->ticks[x->batches / 2] / way,
                       .greatest = (double)x->ticks[x->batches - 1] / way});
}

static void note_skew(struct crowd *c, unsigned k, unsigned l)
{
    const struct exchange *x = &c->exchange;
    double least = (double)x->ahead_least, most = (double)x->ahead_most;

    c->met.backwards += x->backwards;
    note(c, k, l, (struct pair){.least = least, .median = (least + most) / 2, .greatest = most});
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
static void sampled(struct crowd *c, bool stamped)
{
    unsigned n = c->plan->all, most = (unsigned)crowd_pairs(CROWD_ALL_PAIRS);
    unsigned rounds = most / n ? most / n : 1, widest = (n - 1) / 2;

    for (unsigned i = 0; i < rounds; i++) {
        unsigned distance = 1 + (rounds > 1 ? i * (widest - 1) / (rounds - 1) : 0);
        for (unsigned k = 0; k < n; k++)
            if (!pair_up(c, k, (k + distance) % n, stamped))
                return;
    }
}

static void all_pairs(struct crowd *c, bool stamped)
{
    unsigned n = c->plan->all;

    for (unsigned k = 0; k < n; k++)
        for (unsigned l = k + 1; l < n; l++)
            if (!pair_up(c, k, l, stamped))
                return;
}

/* Returns the median of the pairs' medians. */
static double middle(const struct crowd *c)
{
    for (unsigned i = 0; i < c->met.pairs; i++) {
        double mine = c->met.pair[i].median;
        unsigned below = 0;
        for (unsigned j = 0; j < c->met.pairs; j++)
            below += c->met.pair[j].median < mine || (j < i && c->met.pair[j].median == mine);
        if (below == (c->met.pairs - 1) / 2)
            return mine;
    }
    return UNKNOWN;
}

/* Returns the difference that is farthest from 0, as a magnitude. */
static double farthest(const struct crowd *c)
{
    double most = UNKNOWN;

    for (unsigned i = 0; i < c->met.pairs; i++) {
        double mine = c->met.pair[i].median < 0 ? -c->met.pair[i].median : c->met.pair[i].median;
        if (!(mine <= most)) /* true also while `most` is UNKNOWN */
            most = mine;
    }
    return most;
}

static void pairs(struct crowd *c, bool stamped)
{
    unsigned n = c->plan->all;

    c->met.pairs_all = n * (n - 1) / 2;
    if (n > CROWD_ALL_PAIRS)
        sampled(c, stamped);
    else
        all_pairs(c, stamped);
    if (c->met.pairs == 0)
        crowd_fail(c, ROW_WRONG, "no two cores are left");
    c->met.row.figure.ticks = stamped ? farthest(c) : middle(c);
}

void crowd_pingpong(struct crowd *c)
{
    pairs(c, false);
}

void crowd_skew(struct crowd *c)
{
    pairs(c, true);
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

    while (end == CROWD_AGAIN) {
        if (!crowd_go_on(c))
            return false;
        end = duet_once(c, k, l);
    }
    if (end == CROWD_FAILED)
        return false;
    note(c, k, l, c->duet->figures(c, ahead(c, k, l)));
    return true;
}

void crowd_duets(struct crowd *c, const struct crowd_duet *duet)
{
    unsigned n = c->plan->all, distance[] = {1, n / 2}, distances = n / 2 > 1 ? 2 : 1;

    c->duet = duet;
    c->met.signals = true;
    c->met.pairs_all = n * (n - 1);
    for (unsigned k = 0; k < n; k++)
        for (unsigned i = 0; i < distances; i++) {
            unsigned l = (k + distance[i]) % n;
            if (both_live(c, k, l) && !duet_of(c, k, l))
                return;
        }
    if (c->met.pairs == 0)
        crowd_fail(c, ROW_WRONG, "no two cores are left");
    c->met.row.figure.ticks = middle(c);
}

/* --- the platform's signals, from the boot core to each other core ---------------------------- */

static bool signal_one(struct crowd *c, unsigned k,
                       bool (*signal)(const struct platform *, unsigned, int64_t *))
{
    unsigned n = c->silicon ? SIGNALS : SIGNALS_FEW, got = 0;
    uint64_t ticks[SIGNALS];

    for (unsigned i = 0; i < n; i++) {
        int64_t t;
        if (!signal(c->plan->p, c->plan->list[k], &t)) {
            crowd_fail(c, ROW_WRONG, "a core did not answer in time");
            return false;
        }
        ticks[got++] = t < 0 ? 0 : (uint64_t)t; /* below 0 by the error of the TSCs' offset */
    }
    stats_sort(ticks, n);
    c->met.pair[c->met.pairs++] = (struct pair){.a = 0,
                                                .b = c->plan->list[k],
                                                .least = (double)ticks[0],
                                                .median = (double)ticks[n / 2],
                                                .greatest = (double)ticks[n - 1]};
    return true;
}

static void signals(struct crowd *c, bool (*signal)(const struct platform *, unsigned, int64_t *))
{
    c->met.signals = true;
    if (!signal) {
        crowd_fail(c, ROW_UNSUPPORTED, "this platform cannot do it");
        return;
    }
    for (unsigned k = 0; k < c->plan->all; k++) {
        if (c->plan->list[k] == 0 || c->plan->core[k].gone)
            continue;
        c->met.pairs_all++;
        if (!crowd_go_on(c))
            return;
        if (!signal_one(c, k, signal))
            return;
    }
    if (c->met.pairs == 0)
        crowd_fail(c, ROW_WRONG, "no other core is left");
    c->met.row.figure.ticks = middle(c);
}

void crowd_wake(struct crowd *c)
{
    signals(c, c->plan->p->cores->wake);
}

void crowd_ipi(struct crowd *c)
{
    signals(c, c->plan->p->cores->ipi);
}
