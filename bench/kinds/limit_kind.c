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
#include "bench/kinds/limit_code.h"
#include "bench/result/series.h"
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
/* The grid and the counts that are added may take this share of the time. */
#define FIRST_SHARE 0.4
/* Limits for an emulator: one visit of a few counts, with one pair of walks. */
#define PROOF_MOST 1024

_Static_assert(ROUNDS *PER_ROUND <= VISITS_MOST && ROUNDS <= VISITS_ROUNDS_MOST &&
                   ROUNDS_LEAST >= VISITS_LEAST,
               "visits fit");

_Static_assert(sizeof(struct loop) <= INTERLEAVE_NEED * sizeof(uint64_t),
               "a curve does not fit an engine's memory");

static const struct bench_limit *kind_of_row(const struct loop *w)
{
    return bench_limit(w->series.out.bench);
}

/* --- a visit ---------------------------------------------------------------------------------- */

static void visit(struct loop *w, int64_t x, struct loop_visit *v)
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
    w->series.checked += s.operations;
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
    struct step_point first[SERIES_POINTS];
    uint32_t count[REFINE];
    size_t room = SERIES_POINTS - w->n;

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
        turn = w->turns++;

    if (turn >= 2 * times)
        return false;
    if (turn % 2 == 0)
        mark_bends(w);
    else
        add_between(w);
    return true;
}

/* --- conclusions ------------------------------------------------------------------------------ */

static size_t find(const struct bench_limit *kind, const struct step_point *point, size_t n,
                   struct curve_step step[CURVE_STEPS_MOST])
{
    const struct curve_rule rule = {kind->within, kind->rise > 0 ? kind->rise : CURVE_STEPS_RISE,
                                    kind->leaves};

    return curve_steps_find(point, n, &rule, step);
}

/* Finds the steps between counts with certain figures. If there are no such steps, but some with
 * uncertain figures, the curve is not judged. */
static void find_steps(struct series *l)
{
    const struct bench_limit *kind = bench_limit(l->out.bench);
    struct step_point point[CURVE_POINTS_MOST], every[CURVE_POINTS_MOST];
    struct curve_step uncertain[CURVE_STEPS_MOST];
    uint32_t falls_at;

    for (size_t i = 0; i < l->n; i++) {
        const struct point *p = &l->point[i];
        double value = is_known(p->cycles) ? p->cycles : p->ticks;
        bool vague = p->shared || (is_known(p->cycles) && !is_known(p->lo)); /* few visits */
        point[i] = (struct step_point){(uint32_t)p->x, vague ? UNKNOWN : value, p->lo, p->hi};
        every[i] = (struct step_point){(uint32_t)p->x, value, UNKNOWN, UNKNOWN};
    }
    /* A predictor or a cache may do better with more; a window cannot be shorter. */
    if (kind->kind == LIMITS_WINDOW && curve_steps_fall(point, l->n, &falls_at)) {
        l->falls_at = falls_at;
        l->spoiled = SERIES_FALLS;
        return;
    }
    l->steps = find(kind, point, l->n, l->step);
    if (l->steps == 0 && find(kind, every, l->n, uncertain))
        l->spoiled = SERIES_UNCERTAIN;
}

static void judge(struct series *l, enum execution execution)
{
    l->steps = 0;
    if (execution == EXEC_INSTRUCTIONS)
        l->spoiled = SERIES_COUNTED;
    if (l->spoiled == SERIES_CLEAN)
        find_steps(l);
}

/* Counts within the interval of a step make it narrower; without a step all may. */
static double weight(const struct loop *w, size_t i)
{
    const struct series *l = &w->series;
    uint32_t x = (uint32_t)l->point[i].x;

    for (size_t k = 0; k < l->steps; k++) {
        const struct curve_step *s = &l->step[k];
        if (s->to - s->from > NARROW_STEP * s->at && x >= s->from && x <= s->to)
            return 1;
    }
    return l->steps == 0;
}

/* --- the row ---------------------------------------------------------------------------------- */

static const char *lacks(const struct platform *p, const struct bench *b)
{
    const struct bench_limit *kind = bench_limit(b);

    if (cpu_default_recipe(p->cpu) != RECIPE_LFENCE)
        return "this CPU's vendor does not document that LFENCE waits for loads";
    return kind->kind == LIMITS_WINDOW && kind->param == FILL_KOR && vectors_bits(p) < 512
               ? "needs AVX-512F (CPUID leaf 7 EBX[16], XCR0)"
               : NULL;
}

static unsigned ms(const struct bench *b)
{
    return bench_limit(b)->ms;
}

static const struct loop_steps steps = {.first_share = FIRST_SHARE,
                                        .passes = ROUNDS,
                                        .passes_least = ROUNDS_LEAST,
                                        .per_pass = PER_ROUND,
                                        .bytes = sizeof(struct loop),
                                        .lacks = lacks,
                                        .points = add_grid,
                                        .visit = visit,
                                        .refine = refine,
                                        .judge = judge,
                                        .weight = weight};

const struct kind kind_limit = {
    .name = "limit",
    .timed = true,
    .options = OPTIONS_CURVES,
    .no_body = "it measures a curve over a count",
    .heading = "the largest count before a step, where that is, and an operation's cost",
    .steps = &steps,
    .point = "count",
    .has_limits = true,
    .ms = ms,
    .measure = loop_measure};
