/*
 * Curves over a count (suite `limits`): a core measures a curve over a count of fillers, branches
 * or bytes of code. Its steps are the core's limits. First passes measure the counts of a grid, and
 * then counts that are added between neighbours which differ (lib/curve/curve_steps.h). The
 * following passes measure all counts, forward and back. Each measurement has the code and the
 * data at another place.
 */
#include "bench/kinds/kinds.h"
#include "bench/api/vectors.h"
#include "bench/engine/interleave.h"
#include "bench/engine/loop.h"
#include "bench/engine/plan.h"
#include "bench/kinds/limit_code.h"
#include "bench/result/curve.h"
#include "lib/stats/mathx.h"

#define ROUNDS       4 /* passes over the counts after the first visits, */
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
    struct loop loop;
    unsigned per_round;
    unsigned turns; /* of first visits after those of the grid */
};

_Static_assert(sizeof(struct measuring) <= INTERLEAVE_NEED * sizeof(uint64_t),
               "a curve does not fit an engine's memory");

static const struct bench_limit *kind_of_row(const struct loop *w)
{
    return bench_limit(w->out->bench);
}

static struct measuring *measuring_of(const struct loop *w)
{
    return w->ctx;
}

/* --- a visit ---------------------------------------------------------------------------------- */

static void visit(const struct loop *w, int64_t x, struct loop_visit *v)
{
    struct engine *e = w->e;
    struct limits_setting s;
    bool proof = loop_is_proof(w);

    if (!setting_make(&s, e->p, kind_of_row(w), (uint32_t)x, w->seed, proof)) {
        v->wrong = "the code of a count does not fit the code buffer";
        return;
    }
    if (e->facts.execution == EXEC_INSTRUCTIONS)
        s.per_instruction = e->facts.ticks_per_instruction;
    if (!proof)
        setting_warm(&s);
    pairs_take(e, proof ? 1 : PAIRS, setting_walks, &s, &v->exclusive, &v->all);
    v->wrong = s.wrong;
    measuring_of(w)->limit.operations += s.operations;
}

/* --- the counts ------------------------------------------------------------------------------- */

/* Adds the counts of the grid: one every `apart`, or two per octave. */
static void add_grid(struct loop *w)
{
    const struct bench_limit *kind = kind_of_row(w);
    uint32_t most = loop_is_proof(w) && kind->most > PROOF_MOST ? PROOF_MOST : kind->most;

    for (uint32_t c = kind->first; c <= most && loop_add(w, c);) {
        if (kind->apart)
            c += kind->apart;
        else
            c += c & (c - 1) ? c / 3 : c / 2; /* 4, 6, 8, 12, 16 */
    }
}

static bool is_late(const struct loop *w, size_t i)
{
    return i >= LEAST && budget_used(&w->budget) > FIRST_SHARE;
}

/* Marks the counts at bends. */
static void mark_bends(struct loop *w)
{
    for (size_t i = 0; i + 1 < w->n; i++) {
        double a = w->point[i].first, b = w->point[i + 1].first;
        if (b > a * CURVE_STEPS_BEND || a > b * CURVE_STEPS_BEND)
            w->point[i].due = w->point[i + 1].due = true;
    }
}

/* Adds counts between neighbours that differ. */
static void add_between(struct loop *w)
{
    struct step_point first[LOOP_POINTS];
    uint32_t count[REFINE];
    size_t room = LOOP_POINTS - w->n;

    for (size_t i = 0; i < w->n; i++)
        first[i] =
            (struct step_point){(uint32_t)w->point[i].x, w->point[i].first, UNKNOWN, UNKNOWN};
    size_t n =
        curve_steps_refine(first, w->n, kind_of_row(w)->apart ? FINEST_LINEAR : FINEST_OCTAVES,
                           count, room < REFINE ? room : REFINE);
    for (size_t i = 0; i < n; i++)
        (void)loop_add(w, count[i]);
}

/* The counts at bends are visited again before counts are added to them. */
static bool refine(struct loop *w)
{
    unsigned times = kind_of_row(w)->kind == LIMITS_TARGETS ? 1 : REFINED, /* a visit takes long */
        turn = measuring_of(w)->turns++;

    if (turn >= 2 * times)
        return false;
    if (turn % 2 == 0)
        mark_bends(w);
    else
        add_between(w);
    return true;
}

/* --- the passes ------------------------------------------------------------------------------- */

static double cost_of(const struct loop *w)
{
    double sum = 0;

    for (size_t i = 0; i < w->n; i++)
        sum += w->point[i].cost;
    return sum;
}

/* Plans passes that fit the rest of the time: fewer visits, then fewer passes, then fewer
 * counts. */
static void plan(struct loop *w)
{
    double left = budget_left(&w->budget);
    struct measuring *m = measuring_of(w);

    loop_drop_unvisited(w);
    w->passes = m->per_round = 1;
    if (loop_is_proof(w))
        return;
    for (; w->n > LEAST && ROUNDS_LEAST * cost_of(w) > left; w->n--)
        w->less_time = true;
    double rounds = left / cost_of(w);
    w->passes = rounds >= ROUNDS ? ROUNDS : ROUNDS_LEAST;
    m->per_round = rounds >= PER_ROUND * ROUNDS ? PER_ROUND : rounds >= 2 * ROUNDS ? 2 : 1;
}

static unsigned times(const struct loop *w, unsigned pass, size_t i)
{
    (void)pass, (void)i;
    return measuring_of(w)->per_round;
}

/* --- conclusions ------------------------------------------------------------------------------ */

static enum limit_spoiled spoiled_by(const struct limit *l, enum execution execution)
{
    unsigned shared = 0;

    for (size_t i = 0; i < l->n; i++)
        shared += l->point[i].shared;
    if (execution == EXEC_EMULATED)
        return LIMIT_EMULATED;
    if (execution == EXEC_INSTRUCTIONS)
        return LIMIT_COUNTED;
    return 2 * shared > l->n ? LIMIT_SHARED : LIMIT_CLEAN;
}

static size_t find(const struct bench_limit *kind, const struct step_point *point, size_t n,
                   struct curve_step step[CURVE_STEPS_MOST])
{
    const struct curve_rule rule = {kind->within, kind->rise > 0 ? kind->rise : CURVE_STEPS_RISE,
                                    kind->leaves};

    return curve_steps_find(point, n, &rule, step);
}

/* Finds the steps between counts with certain figures. If there are no such steps, but some with
 * uncertain figures, the curve is not judged. */
static void find_steps(struct limit *l)
{
    const struct bench_limit *kind = bench_limit(l->out.bench);
    struct step_point point[CURVE_POINTS_MOST], every[CURVE_POINTS_MOST];
    struct curve_step uncertain[CURVE_STEPS_MOST];

    for (size_t i = 0; i < l->n; i++) {
        const struct limit_point *p = &l->point[i];
        double value = is_known(p->cycles) ? p->cycles : p->ticks;
        bool vague = p->shared || (is_known(p->cycles) && !is_known(p->lo)); /* few visits */
        point[i] = (struct step_point){p->count, vague ? UNKNOWN : value, p->lo, p->hi};
        every[i] = (struct step_point){p->count, value, UNKNOWN, UNKNOWN};
    }
    /* A predictor or a cache may do better with more; a window cannot be shorter. */
    if (kind->kind == LIMITS_WINDOW && curve_steps_fall(point, l->n, &l->falls_at)) {
        l->spoiled = LIMIT_FALLS;
        return;
    }
    l->steps = find(kind, point, l->n, l->step);
    if (l->steps == 0 && find(kind, every, l->n, uncertain))
        l->spoiled = LIMIT_UNCERTAIN;
}

static void judge(struct limit *l, enum execution execution)
{
    l->steps = 0;
    l->spoiled = spoiled_by(l, execution);
    if (l->spoiled == LIMIT_CLEAN)
        find_steps(l);
}

static void conclude(struct loop *w)
{
    struct limit *l = &measuring_of(w)->limit;

    l->less_time = w->less_time;
    l->rounds = loop_rounds(w);
    l->n = w->n;
    for (size_t i = 0; i < l->n; i++) {
        struct visits_figure f = loop_figure(w, i);
        l->point[i] = (struct limit_point){.count = (uint32_t)w->point[i].x,
                                           .visits = w->point[i].visits.n,
                                           .ticks = f.ticks,
                                           .cycles = f.cycles,
                                           .lo = f.lo,
                                           .hi = f.hi,
                                           .shared = f.shared};
    }
    judge(l, w->e->facts.execution);
}

/* Counts within the interval of a step make it narrower; without a step all may. */
static double weight(const struct loop *w, size_t i)
{
    const struct limit *l = &measuring_of(w)->limit;
    uint32_t x = l->point[i].count;

    for (size_t k = 0; k < l->steps; k++) {
        const struct curve_step *s = &l->step[k];
        if (s->to - s->from > NARROW_STEP * s->at && x >= s->from && x <= s->to)
            return 1;
    }
    return l->steps == 0;
}

/* --- the row ---------------------------------------------------------------------------------- */

static const struct loop_steps steps = {.first_share = FIRST_SHARE,
                                        .passes_least = ROUNDS_LEAST,
                                        .visit = visit,
                                        .is_late = is_late,
                                        .refine = refine,
                                        .plan = plan,
                                        .times = times,
                                        .conclude = conclude,
                                        .weight = weight};

/* Returns why the row cannot run; NULL: it can. */
static const char *obstacle(const struct platform *p, const struct bench_limit *kind)
{
    if (cpu_default_recipe(p->cpu) != RECIPE_LFENCE)
        return "this CPU's vendor does not document that LFENCE waits for loads";
    return kind->kind == LIMITS_WINDOW && kind->param == FILL_KOR && vectors_bits(p) < 512
               ? "needs AVX-512F (CPUID leaf 7 EBX[16], XCR0)"
               : NULL;
}

static void measure_here(struct engine *e, void *memory)
{
    struct measuring *m = memory;
    const char *why = obstacle(e->p, bench_limit(m->limit.out.bench));

    outcome_fail(&m->limit.out, ROW_UNSUPPORTED, why);
    if (why)
        return;
    loop_begin(&m->loop, e, &m->limit.out, &steps, m);
    add_grid(&m->loop);
    if (!loop_run(&m->loop))
        m->limit.steps = 0;
}

static const struct outcome *measure_row(struct plan *plan, const struct bench *b, unsigned k)
{
    const struct one_core s = {measure_here, sizeof(struct measuring), bench_limit(b)->ms};
    const struct measuring *w = one_core_measure(plan, b, k, &s);

    return w ? &w->limit.out : NULL;
}

static double guess(const struct engine *e, const struct bench *b)
{
    return budget_guess(&e->facts, bench_limit(b)->ms);
}

const struct kind kind_limit = {.name = "limit",
                                .timed = true,
                                .options = OPTIONS_CURVES,
                                .no_body = "it measures a curve over a count",
                                .guess = guess,
                                .measure = measure_row};
