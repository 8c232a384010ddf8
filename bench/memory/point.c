#include "bench/memory/point.h"
#include "lib/stats/estimate.h"
#include "lib/stats/known.h"
#include "lib/stats/stats.h"

void point_note(struct point_taken *t, unsigned round, const struct visit *v)
{
    t->round[t->n] = (uint8_t)round;
    t->quiet[t->n] = v->quiet;
    t->all[t->n++] = v->all;
}

/* Returns the estimate over the visits of a size, from their pairs without a neighbour or all. */
static struct estimate estimate_of(const struct point_taken *t, unsigned rounds, bool shared_too,
                                   double finest)
{
    struct estimate_taken part[POINT_VISITS];
    double theta[POINT_VISITS], round[POINT_ROUNDS], scratch[POINT_VISITS];

    for (unsigned i = 0; i < t->n; i++) {
        const struct pairs_figure *f = shared_too ? &t->all[i] : &t->quiet[i];
        part[i] = (struct estimate_taken){i, t->round[i], f->pairs, f->cycles, f->se};
    }
    struct estimate_found found = {.theta = theta,
                                   .placements = t->n,
                                   .round = round,
                                   .rounds = rounds,
                                   .finest = finest,
                                   .rounds_differ = estimate_rounds_differ(part, t->n)};
    estimate_by_round(part, t->n, round, rounds);
    estimate_by_placement(part, t->n, theta, t->n);
    found.se = estimate_placement_se(part, t->n, &found.m);
    return estimate_over(&found, scratch);
}

static double ticks_of(const struct point_taken *t)
{
    double ticks[POINT_VISITS];
    size_t n = 0;

    for (unsigned i = 0; i < t->n; i++) {
        const struct pairs_figure *f = t->quiet[i].pairs ? &t->quiet[i] : &t->all[i];
        if (is_known(f->ticks))
            ticks[n++] = f->ticks;
    }
    return n ? median(ticks, n) : UNKNOWN;
}

/* Returns whether fewer than half of the pairs of walks were without a neighbour. */
static bool is_shared(const struct point_taken *t)
{
    unsigned quiet = 0, all = 0;

    for (unsigned i = 0; i < t->n; i++) {
        quiet += t->quiet[i].pairs;
        all += t->all[i].pairs;
    }
    return 2 * quiet < all;
}

static void hold(struct curve_point *p, const struct estimate *also)
{
    if (!(p->lo <= also->lo))
        p->lo = also->lo;
    if (!(p->hi >= also->hi))
        p->hi = also->hi;
}

struct curve_point point_of(const struct point_taken *t, uint64_t bytes, unsigned rounds,
                            const struct engine *e)
{
    struct curve_point p = {.bytes = bytes,
                            .visits = t->n,
                            .ticks = ticks_of(t),
                            .cycles = UNKNOWN,
                            .lo = UNKNOWN,
                            .hi = UNKNOWN,
                            .shared = is_shared(t)};
    double finest = e->step_cycles / 1e3; /* a walk has 1000 steps or more */

    if (!run_has_cycles(&e->facts))
        return p;
    struct estimate all = estimate_of(t, rounds, true, finest);
    struct estimate used = p.shared ? all : estimate_of(t, rounds, false, finest);
    p.cycles = used.theta;
    p.lo = used.lo;
    p.hi = used.hi;
    if (p.shared)
        hold(&p, &all);
    return p;
}
