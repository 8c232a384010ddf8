/*
 * Curves over a count (suite `limits`): a core measures a curve over a count of fillers, branches or
 * bytes of code. Its steps are the core's limits. First passes measure the counts of a grid, and
 * then counts that are added between neighbours which differ (lib/limits/curve_steps.h). The
 * following passes measure all counts, forward and back. Each measurement has the code and the
 * data at another place.
 */
#include "bench/kinds/kinds.h"
#include "bench/engine/plan.h"
#include "bench/result/limit.h"
#include "bench/api/vectors.h"
#include "bench/engine/guard.h"
#include "bench/engine/budget.h"
#include "bench/engine/one_core.h"
#include "bench/engine/points.h"
#include "bench/kinds/limit_judge.h"
#include "bench/kinds/limit_code.h"
#include "bench/engine/interleave.h"
#include "lib/stats/known.h"

#define ROUNDS       4 /* passes over the counts after the first ones, */
#define ROUNDS_LEAST 3 /* or fewer if the time is over, but enough for an interval */
#define PER_ROUND    3 /* visits of a count in one of them */
/* The part of a count up to which the interval of a step is narrow enough. */
#define NARROW_STEP 0.05
#define PAIRS       5  /* of walks that a visit's figure is the median of */
#define REFINED     4  /* times that counts are added */
#define REFINE      16 /* most counts that are added at a time */
/* Gaps below this part of a count are not divided further: of counts with equal distances, and of
 * octaves. */
#define FINEST_LINEAR  512
#define FINEST_OCTAVES 16
#define LEAST          8 /* counts of a curve that is shortened for lack of time */
/* The grid and the counts that are added may take this share of the time. */
#define FIRST_SHARE 0.4
/* Limits for an emulator: one visit of a few counts, with one pair of walks. */
#define PROOF_MOST 1024

_Static_assert(ROUNDS *PER_ROUND <= VISITS_MOST && ROUNDS <= VISITS_ROUNDS_MOST &&
                   ROUNDS_LEAST >= VISITS_LEAST,
               "visits fit");

/* A curve that is being measured, in the engine's memory. */
struct measuring {
    struct limit limit;
    struct engine *e;
    struct budget budget;
    uint64_t seed;
    size_t n;
    struct step_point first[CURVE_POINTS_MOST]; /* of the first passes: cycles or ticks */
    double cost[CURVE_POINTS_MOST];             /* seconds of a visit */
    unsigned rounds, per_round;
    struct visits visits[CURVE_POINTS_MOST];
};

_Static_assert(sizeof(struct measuring) <= INTERLEAVE_NEED * sizeof(uint64_t),
               "a curve does not fit an engine's memory");

static bool is_proof(const struct engine *e)
{
    return e->facts.execution != EXEC_SILICON;
}

/* --- a visit ---------------------------------------------------------------------------------- */

struct visit {
    struct measuring *w;
    uint32_t count;
    struct pairs_figure exclusive, all;
    const char *wrong;
};

static void visit_here(void *ctx)
{
    struct visit *v = ctx;
    struct engine *e = v->w->e;
    struct limits_setting s;
    bool proof = is_proof(e);

    if (!setting_make(&s, e->p, v->w->limit.out.bench->limit, v->count, v->w->seed, proof)) {
        v->wrong = "the code of a count does not fit the code buffer";
        return;
    }
    if (e->facts.execution == EXEC_INSTRUCTIONS)
        s.per_instruction = e->facts.ticks_per_instruction;
    if (!proof)
        setting_warm(&s);
    pairs_take(e, proof ? 1 : PAIRS, setting_walks, &s, &v->exclusive, &v->all);
    v->wrong = s.wrong;
    v->w->limit.operations += s.operations;
}

/* Visits a count. False: the row has ended, and says why, or the user stopped the run. */
static bool visit(struct measuring *w, uint32_t count, struct visit *v)
{
    *v = (struct visit){.w = w, .count = count};
    w->seed++;
    if (!pace_go_on(w->e) || !guard_run(w->e, &w->limit.out, visit_here, v))
        return false;
    outcome_fail(&w->limit.out, ROW_WRONG, v->wrong);
    return !v->wrong;
}

/* --- the first passes ------------------------------------------------------------------------- */

static double first_value(const struct visit *v)
{
    return is_known(v->all.cycles) ? v->all.cycles : v->all.ticks;
}

static void add_point(struct measuring *w, uint32_t count, double value, double cost)
{
    size_t i = w->n++;

    for (; i > 0 && w->first[i - 1].x > count; i--) {
        w->first[i] = w->first[i - 1];
        w->cost[i] = w->cost[i - 1];
    }
    w->first[i] = (struct step_point){count, value, UNKNOWN, UNKNOWN};
    w->cost[i] = cost;
}

/* Visits counts for the first time. Stops adding when a share of the time is over, but not before
 * there are LEAST: *late. False: the row has ended. */
static bool pass_first(struct measuring *w, const uint32_t *count, size_t n, bool *late)
{
    for (size_t i = 0; i < n && w->n < CURVE_POINTS_MOST; i++) {
        struct visit v;
        uint64_t from = tsc_now();
        double spent = budget_used(&w->budget);
        if (w->n >= LEAST && spent > FIRST_SHARE && !is_proof(w->e)) {
            *late = true;
            return true;
        }
        if (!visit(w, count[i], &v))
            return false;
        add_point(w, count[i], first_value(&v), budget_since(&w->budget, from));
        spent = budget_used(&w->budget);
        pace_show(w->e, spent < FIRST_SHARE ? spent : FIRST_SHARE);
    }
    return true;
}

/* Writes the counts of the grid: one every `apart`, or two per octave. Returns their number. */
static size_t grid(const struct bench_limit *kind, uint32_t most, uint32_t *count)
{
    size_t n = 0;

    for (uint32_t c = kind->first; c <= most && n < CURVE_POINTS_MOST;) {
        count[n++] = c;
        if (kind->apart)
            c += kind->apart;
        else
            c += c & (c - 1) ? c / 3 : c / 2; /* 4, 6, 8, 12, 16 */
    }
    return n;
}

static bool is_bend(const struct measuring *w, size_t i)
{
    double a = w->first[i].y, b = w->first[i + 1].y;

    return b > a * CURVE_STEPS_BEND || a > b * CURVE_STEPS_BEND;
}

/* Visits the counts at bends again and takes the shorter time: what disturbs only adds to it, and a
 * disturbed count would draw more counts to it. False: the row has ended. */
static bool visit_bends(struct measuring *w)
{
    bool bends[CURVE_POINTS_MOST] = {false};

    for (size_t i = 0; i + 1 < w->n; i++)
        if (is_bend(w, i))
            bends[i] = bends[i + 1] = true;
    for (size_t i = 0; i < w->n; i++) {
        struct visit v;
        if (!bends[i])
            continue;
        if (!visit(w, w->first[i].x, &v))
            return false;
        double value = first_value(&v);
        if (!(w->first[i].y <= value))
            w->first[i].y = value;
    }
    return true;
}

static bool measure_first(struct measuring *w)
{
    const struct bench_limit *kind = w->limit.out.bench->limit;
    bool proof = is_proof(w->e);
    uint32_t count[CURVE_POINTS_MOST], most = kind->most;
    size_t n = grid(kind, proof && most > PROOF_MOST ? PROOF_MOST : most, count);

    if (!pass_first(w, count, n, &w->limit.less_time))
        return false;
    bool late = w->limit.less_time;
    unsigned refined = kind->kind == LIMITS_TARGETS ? 1 : REFINED; /* a visit takes long */
    for (unsigned i = 0; i < refined && !proof && !late; i++) {
        if (!visit_bends(w))
            return false;
        size_t room = CURVE_POINTS_MOST - w->n;
        n = curve_steps_refine(w->first, w->n, kind->apart ? FINEST_LINEAR : FINEST_OCTAVES, count,
                               room < REFINE ? room : REFINE);
        if (!pass_first(w, count, n, &late))
            return false;
    }
    return true;
}

/* --- the passes ------------------------------------------------------------------------------- */

static double cost_of(const struct measuring *w)
{
    double sum = 0;

    for (size_t i = 0; i < w->n; i++)
        sum += w->cost[i];
    return sum;
}

/* Plans passes that fit the rest of the time: fewer visits, then fewer passes, then fewer
 * counts. */
static void plan_passes(struct measuring *w)
{
    double left = budget_left(&w->budget);

    w->rounds = w->per_round = 1;
    if (is_proof(w->e))
        return;
    for (; w->n > LEAST && ROUNDS_LEAST * cost_of(w) > left; w->n--)
        w->limit.less_time = true;
    double rounds = left / cost_of(w);
    w->rounds = rounds >= ROUNDS ? ROUNDS : ROUNDS_LEAST;
    w->per_round = rounds >= PER_ROUND * ROUNDS ? PER_ROUND : rounds >= 2 * ROUNDS ? 2 : 1;
}

static unsigned times_of(const void *ctx, unsigned round, size_t i)
{
    const struct measuring *w = ctx;

    (void)round, (void)i;
    return w->per_round;
}

static bool visit_point(void *ctx, size_t i, struct pairs_figure *exclusive,
                        struct pairs_figure *all)
{
    struct measuring *w = ctx;
    struct visit v;

    if (!visit(w, w->first[i].x, &v))
        return false;
    *exclusive = v.exclusive;
    *all = v.all;
    return true;
}

static struct points points_of(struct measuring *w)
{
    return (struct points){w->e, w->visits,   w->n,     w->cost,     &w->budget, w->rounds,
                           0,    FIRST_SHARE, times_of, visit_point, w};
}

/* Makes the passes that there is time for. False: the row has ended. */
static bool pass_all(struct measuring *w)
{
    const struct points p = points_of(w);

    for (unsigned round = 0; round < p.passes; round++) {
        bool late = budget_left(&w->budget) < 0;
        if (round >= ROUNDS_LEAST && late)
            w->rounds = round;
        else if (!points_pass(&p, round))
            return false;
    }
    return true;
}

/* --- conclusions ------------------------------------------------------------------------------ */

static struct limit_point point_of(const struct measuring *w, size_t i)
{
    const struct engine *e = w->e;
    struct visits_figure f = points_figure(e, &w->visits[i], w->rounds);

    return (struct limit_point){.count = w->first[i].x,
                                .visits = w->visits[i].n,
                                .ticks = f.ticks,
                                .cycles = f.cycles,
                                .lo = f.lo,
                                .hi = f.hi,
                                .shared = f.shared};
}

static void conclude(struct measuring *w)
{
    struct limit *l = &w->limit;

    l->rounds = w->rounds;
    l->n = w->n;
    for (size_t i = 0; i < l->n; i++)
        l->point[i] = point_of(w, i);
    limit_judge(l, w->e->facts.execution);
}

/* Counts within the interval of a step make it narrower; without a step all may. */
static double weight_of(const void *ctx, size_t i)
{
    const struct measuring *w = ctx;
    const struct limit *l = &w->limit;
    uint32_t x = l->point[i].count;

    for (size_t k = 0; k < l->steps; k++) {
        const struct curve_step *s = &l->step[k];
        if (s->to - s->from > NARROW_STEP * s->at && x >= s->from && x <= s->to)
            return 1;
    }
    return l->steps == 0;
}

/* Draws the conclusions, and again after the time that is left was used for counts on which they
 * depend. False: the row has ended. */
static bool improve(struct measuring *w)
{
    const struct points p = points_of(w);
    uint64_t visited;

    do {
        visited = w->seed;
        conclude(w);
        if (!points_improve(&p, weight_of))
            return false;
    } while (w->seed != visited);
    return true;
}

/* --- the row ---------------------------------------------------------------------------------- */

/* Returns why the row cannot run; NULL: it can. */
static const char *obstacle(const struct platform *p, const struct bench_limit *kind)
{
    if (cpu_default_recipe(p->cpu) != RECIPE_LFENCE)
        return "this CPU's vendor does not document that LFENCE waits for loads";
    return kind->kind == LIMITS_WINDOW && kind->param == FILL_KOR && vectors_bits(p) < 512
               ? "needs AVX-512F (CPUID leaf 7 EBX[16], XCR0)"
               : NULL;
}

static void measure(struct measuring *w)
{
    const char *why = obstacle(w->e->p, w->limit.out.bench->limit);

    outcome_fail(&w->limit.out, ROW_UNSUPPORTED, why);
    if (why || !measure_first(w))
        return;
    plan_passes(w);
    if (!pass_all(w) || !improve(w))
        w->limit.steps = 0;
}

static void measure_here(struct engine *e, void *memory)
{
    struct measuring *w = memory;

    w->e = e;
    w->budget = budget_begin(&e->facts, e->spare.row);
    w->seed = (uint64_t)e->facts.o->seed << 20;
    measure(w);
}

static const struct outcome *measure_row(struct plan *plan, const struct bench *b, unsigned k)
{
    const struct one_core s = {measure_here, sizeof(struct measuring), b->limit->ms};
    const struct measuring *w = one_core_measure(plan, b, k, &s);

    return w ? &w->limit.out : NULL;
}

static double guess(const struct engine *e, const struct bench *b)
{
    return budget_guess(&e->facts, b->limit->ms);
}

const struct kind kind_limit = {.name = "limit",
                                .timed = true,
                                .options = OPTIONS_CURVES,
                                .no_body = "it measures a curve over a count",
                                .guess = guess,
                                .measure = measure_row};
