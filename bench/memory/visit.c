#include "bench/memory/visit.h"
#include "bench/memory/chase.h"
#include "bench/memory/near.h"
#include "bench/memory/stream.h"
#include "bench/sample/cycle.h"
#include "bench/sample/own.h"
#include "lib/stats/known.h"
#include "lib/stats/mathx.h"
#include "lib/stats/moments.h"
#include "lib/stats/stats.h"

#define PAIR_TURNS 128 /* of 64 additions: 8192 core cycles, and twice that */
#define PAIR_ADDS  8192.0
#define MEDIAN_SE  1.2533 /* standard error of a median over that of a mean: sqrt(pi / 2) */

#define NEAR_STEPS 2048 /* operations of a walk at one offset */

/* A pair of walks. */
struct pair_taken {
    double ticks;           /* per step */
    double ticks_per_cycle; /* UNKNOWN: not known */
    bool shared;
};

/* Returns ticks per core cycle by the ruler. */
static double ruler(void)
{
    double once = own_adds(PAIR_TURNS), twice = own_adds(2 * PAIR_TURNS);

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

/* What is walked: one of the three. */
struct load {
    const struct bench_curve *kind;
    struct chase chase;
    struct stream stream;
    struct near_place near;
};

/* Times the i-th pair of walks; *lines gets the operations of the first. False: a walk did not end
 * where it should. */
static bool time_walks(const struct load *l, unsigned i, struct stream_ticks *t)
{
    if (bench_is_near(l->kind->load)) {
        t->once = near_time(&l->near, NEAR_STEPS);
        t->twice = near_time(&l->near, 2 * NEAR_STEPS);
        t->lines = NEAR_STEPS;
        return true;
    }
    if (!bench_is_chase(l->kind->load)) {
        *t = stream_time(&l->stream, i);
        return true;
    }
    struct chase_walks w = chase_walks(&l->chase, i);
    struct chase_ticks taken;
    bool right = chase_time(&l->chase, &w, &taken);
    *t = (struct stream_ticks){taken.once, taken.twice, w.steps};
    return right;
}

static bool take_pair(struct engine *e, const struct load *l, unsigned i, struct pair_taken *pair)
{
    struct stream_ticks t;
    double before = own_read_before(e);
    struct cycle_mark from = cycle_begin(e);
    bool right = time_walks(l, i, &t);

    pair->ticks_per_cycle = ticks_per_cycle(e, &from);
    pair->shared = own_is_shared(e, before, own_read(e));
    own_count(e, pair->shared);
    pair->ticks = ((double)t.twice - (double)t.once) / (double)t.lines;
    return right;
}

/* Returns the median of the pairs' ticks per core cycle; UNKNOWN: none is known. */
static double per_cycle_of(const struct pair_taken *pair, unsigned n)
{
    double ratio[CHASE_WALKS];
    size_t known = 0;

    for (unsigned i = 0; i < n; i++)
        if (is_known(pair[i].ticks_per_cycle))
            ratio[known++] = pair[i].ticks_per_cycle;
    return known ? median(ratio, known) : UNKNOWN;
}

static struct visit_figure figure_of(const struct pair_taken *pair, unsigned n, bool shared_too)
{
    struct visit_figure f = {0, UNKNOWN, UNKNOWN, UNKNOWN};
    double ticks[CHASE_WALKS], per_cycle = per_cycle_of(pair, n);
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

static void time_pairs(struct engine *e, const struct load *l, unsigned pairs, struct visit *v)
{
    struct pair_taken pair[CHASE_WALKS];
    unsigned n = 0;

    for (unsigned quiet = 0; n < CHASE_WALKS && quiet < pairs; n++) {
        if (!take_pair(e, l, n, &pair[n])) {
            v->wrong = "a timed walk did not end at the element where the order has its end";
            return;
        }
        quiet += !pair[n].shared;
    }
    v->quiet = figure_of(pair, n, false);
    v->all = figure_of(pair, n, true);
}

static void prepare_chase(const struct visit_set *set, struct chase *c, struct visit *v)
{
    chase_build(c, set->at, set->bytes, set->map, set->kind, set->seed);
    v->elements = chase_check(c);
    if (v->elements < c->n)
        v->wrong = "the chase did not visit every element once";
    else
        chase_warm(c);
}

static void prepare_stream(const struct visit_set *set, struct stream *s, struct visit *v)
{
    stream_build(s, set->kind->load, set->at, set->bytes);
    v->elements = stream_check(s);
    if (v->elements < s->lines)
        v->wrong = "not every word was read, or has the value that was written";
}

static void prepare_near(const struct visit_set *set, struct near_place *p, struct visit *v)
{
    near_build(p, set->kind->load, set->at, (int32_t)set->bytes);
    v->elements = near_check(p);
    if (v->elements == 0)
        v->wrong = "a load or store at this offset did not leave what it should";
}

void visit_take(struct engine *e, const struct visit_set *set, unsigned pairs, struct visit *v)
{
    struct load l = {.kind = set->kind};

    *v = (struct visit){0};
    if (bench_is_chase(set->kind->load))
        prepare_chase(set, &l.chase, v);
    else if (bench_is_near(set->kind->load))
        prepare_near(set, &l.near, v);
    else
        prepare_stream(set, &l.stream, v);
    if (!v->wrong)
        time_pairs(e, &l, pairs, v);
}
