#include "bench/engine/pairs.h"
#include "bench/engine/cycle.h"
#include "bench/engine/witness.h"
#include "lib/stats/mathx.h"
#include "lib/stats/stats.h"

#define PAIR_ITERATIONS 128 /* of 64 additions: 8192 core cycles, and twice that */
#define PAIR_ADDS       8192.0
#define MEDIAN_SE       1.2533 /* a median's standard error / a mean's: sqrt(pi / 2) */

struct walked {
    double ticks;           /* per operation */
    double ticks_per_cycle; /* UNKNOWN: not known */
    bool shared;
};

/* Returns ticks per core cycle by the ruler. */
static double ruler(void)
{
    double once = witness_adds(PAIR_ITERATIONS), twice = witness_adds(2 * PAIR_ITERATIONS);

    return twice > once ? (twice - once) / PAIR_ADDS : UNKNOWN;
}

static double ticks_per_cycle(struct engine *e, const struct cycle_mark *from)
{
    if (e->facts.execution == EXEC_INSTRUCTIONS)
        return (double)e->facts.ticks_per_instruction;
    if (e->facts.execution != EXEC_SILICON || e->facts.cycle.by == CYCLES_UNKNOWN)
        return UNKNOWN;
    if (e->facts.cycle.by == CYCLES_RULER)
        return ruler();
    struct cycle_mark to = cycle_end(e);
    return 1 / cycle_ratio(e, from, &to);
}

static bool take(struct engine *e, unsigned i, pair_walks *walks, void *ctx, struct walked *pair)
{
    struct pair_ticks t;
    double before = witness_read_before(e);
    struct cycle_mark from = cycle_begin(e);
    bool right = walks(ctx, i, &t);

    pair->ticks_per_cycle = ticks_per_cycle(e, &from);
    pair->shared = witness_is_shared(e, before, witness_read(e));
    witness_count(e, pair->shared);
    pair->ticks = ((double)t.twice - (double)t.once) / (double)t.operations;
    return right;
}

/* Returns the median of the pairs' ticks per core cycle; UNKNOWN: none is known. */
static double per_cycle_of(const struct walked *pair, unsigned n)
{
    double ratio[PAIRS_MOST];
    size_t known = 0;

    for (unsigned i = 0; i < n; i++)
        if (is_known(pair[i].ticks_per_cycle))
            ratio[known++] = pair[i].ticks_per_cycle;
    return known ? median(ratio, known) : UNKNOWN;
}

static struct pairs_figure figure_of(const struct walked *pair, unsigned n, bool shared_too)
{
    struct pairs_figure f = {0, UNKNOWN, UNKNOWN, UNKNOWN};
    double ticks[PAIRS_MOST], per_cycle = per_cycle_of(pair, n);
    struct moments spread = {0};

    for (unsigned i = 0; i < n; i++) {
        if (pair[i].shared && !shared_too)
            continue;
        ticks[f.pairs++] = pair[i].ticks;
        moments_add(&spread, pair[i].ticks);
    }
    if (f.pairs == 0)
        return f;
    double middle = median(ticks, f.pairs);
    f.ticks = (float)middle;
    f.cycles = (float)(middle / per_cycle);
    if (f.pairs > 1)
        f.se = (float)(MEDIAN_SE * moments_sd(&spread) / mathx_sqrt(f.pairs) / per_cycle);
    return f;
}

bool pairs_take(struct engine *e, unsigned wanted, pair_walks *walks, void *ctx,
                struct pairs_figure *exclusive, struct pairs_figure *all)
{
    struct walked pair[PAIRS_MOST];
    unsigned n = 0;

    for (unsigned calm = 0; n < PAIRS_MOST && calm < wanted; n++) {
        if (!take(e, n, walks, ctx, &pair[n]))
            return false;
        calm += !pair[n].shared;
    }
    *exclusive = figure_of(pair, n, false);
    *all = figure_of(pair, n, true);
    return true;
}
