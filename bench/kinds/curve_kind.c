/*
 * Curves over sizes (suite `memory`): a core measures working sets of many sizes. A first pass over
 * a grid of sizes finds where the curve bends and what a measurement costs; then sizes are added
 * there, and the rest is planned so that the row keeps to its time (lib/memory/sizes.h). Each
 * measurement (a visit) has another order of the elements and another place in the area, as a row
 * has several placements; passes over the sizes go forward and back, as rounds.
 */
#include "bench/kinds/kinds.h"
#include "bench/result/curve.h"
#include "bench/engine/guard.h"
#include "bench/engine/budget.h"
#include "bench/engine/one_core.h"
#include "bench/engine/points.h"
#include "bench/kinds/chase.h"
#include "bench/kinds/curve_needs.h"
#include "bench/kinds/curve_point.h"
#include "bench/kinds/curve_visit.h"
#include "bench/engine/interleave.h"
#include "lib/stats/known.h"

#define PAGE 4096u
/* The first pass may take this share of the time. A size costs at most this factor more than the
 * one before: it is at most twice as large, and may leave a cache. */
#define FIRST_SHARE   0.5
#define FIRST_NEXT    3
#define VISITS_ENOUGH 5   /* with 3, Student's t is 9.9, with 5 it is 4.6 */
#define LEFT_LEAST    0.3 /* of the row's time, for its points, however long the area took */
/* Limits for an emulator: one visit of a few sizes, with one pair of walks. */
#define PROOF_MOST  (256u << 10)
#define PROOF_PAGES 64u

/* A size, or what else a point is. */
struct point {
    uint64_t at;
    enum sizes_rank rank;
    unsigned passes;                    /* visits after the first pass */
    struct pairs_figure exclusive, all; /* of the first pass; without pairs: it was not there */
};

/* A curve that is being measured, in the engine's memory. */
struct measuring {
    struct curve curve;
    struct engine *e;
    struct platform_area area;
    uint64_t *map; /* at the area's end; of pages: */
    uint64_t page_map[NEEDS_PAGES_MOST / 64];
    uint64_t set_bytes; /* of the area before the map */
    struct budget budget;
    uint64_t seed;
    size_t n;
    struct point point[SIZES_MOST];
    double cost[SIZES_MOST];          /* seconds of a visit of each */
    struct visits visits[SIZES_MOST]; /* of each */
};

_Static_assert(sizeof(struct measuring) <= INTERLEAVE_NEED * sizeof(uint64_t),
               "a curve does not fit an engine's memory");

static bool is_proof(const struct engine *e)
{
    return e->facts.execution != EXEC_SILICON;
}

static bool is_by_size(const struct measuring *w)
{
    return bench_by(&w->curve.out.bench->curve) == BENCH_BY_SIZE;
}

/* --- a visit ---------------------------------------------------------------------------------- */

struct order_of_visit {
    struct engine *e;
    struct visit_set set;
    unsigned pairs;
    struct visit v;
};

static void visit_here(void *ctx)
{
    struct order_of_visit *o = ctx;

    visit_take(o->e, &o->set, o->pairs, &o->v);
}

/* Returns where in the area a set begins: on another page each time, if there is room and pages are
 * small. */
static uint8_t *place_of(const struct measuring *w, uint64_t bytes)
{
    if (bench_is_pages(w->curve.out.bench->curve.load) && w->area.page > PAGE)
        return w->area.at;
    uint64_t pages = (w->set_bytes - bytes) / PAGE + 1;

    return w->area.at + w->seed * 0x9e3779b97f4a7c15u / PAGE % pages * PAGE;
}

/* Visits a point. False: the row has ended, and says why, or the user stopped the run. */
static bool visit(struct measuring *w, uint64_t point, struct pairs_figure *exclusive,
                  struct pairs_figure *all)
{
    struct order_of_visit o = {.e = w->e, .pairs = is_proof(w->e) ? 1 : VISIT_PAIRS};
    uint64_t evict, bytes = needs_bytes(&w->curve, point, &evict);

    w->seed++;
    o.set = (struct visit_set){
        &w->curve.out.bench->curve, &w->area, place_of(w, bytes), point, evict, w->map, w->seed};
    if (!pace_go_on(w->e) || !guard_run(w->e, &w->curve.out, visit_here, &o))
        return false;
    *exclusive = o.v.exclusive;
    *all = o.v.all;
    w->curve.elements += o.v.elements;
    outcome_fail(&w->curve.out, ROW_WRONG, o.v.wrong);
    outcome_fail(&w->curve.out, ROW_UNSUPPORTED, o.v.lacks);
    return !o.v.wrong && !o.v.lacks;
}

/* Returns the figure of the first pass, in cycles or ticks. */
static double first_of(const struct point *p)
{
    if (p->all.pairs == 0)
        return UNKNOWN;
    return is_known(p->all.cycles) ? p->all.cycles : p->all.ticks;
}

/* --- the passes ------------------------------------------------------------------------------- */

/* Visits the i-th point for the first time. False: the row has ended. */
static bool visit_first(struct measuring *w, size_t i)
{
    struct point *p = &w->point[i];
    uint64_t from = tsc_now();

    if (!visit(w, p->at, &p->exclusive, &p->all))
        return false;
    w->cost[i] = budget_since(&w->budget, from);
    return true;
}

/* Visits each point once, which shows where the curve bends and what a visit costs. Leaves out the
 * sizes that there is no time for. False: the row has ended. */
static bool pass_first(struct measuring *w)
{
    for (size_t i = 0; i < w->n; i++) {
        double next = i > 0 ? FIRST_NEXT * w->cost[i - 1] / w->budget.seconds : 0;
        bool late = budget_used(&w->budget) + next > FIRST_SHARE;
        if (i > 1 && late && is_by_size(w) && !is_proof(w->e)) {
            w->curve.less_time = true;
            w->n = i;
            return true;
        }
        if (!visit_first(w, i))
            return false;
        pace_show(w->e, FIRST_SHARE * (double)i / (double)w->n);
    }
    return true;
}

/* Adds sizes where the curve bends. Their cost is that of the next larger size. */
static void refine(struct measuring *w)
{
    uint64_t size[SIZES_MOST], page = needs_page(&w->curve);
    bool pages = bench_is_pages(w->curve.out.bench->curve.load);
    double first[SIZES_MOST];

    for (size_t i = 0; i < w->n; i++) {
        size[i] = w->point[i].at;
        first[i] = first_of(&w->point[i]);
    }
    size_t n = sizes_refine(size, first, w->n, pages ? page : SIZES_UNIT);
    for (size_t i = n, old = w->n; i-- > 0;) {
        bool known = old > 0 && w->point[old - 1].at == size[i];
        w->cost[i] = w->cost[old - known];
        w->point[i] =
            known ? w->point[old - 1] : (struct point){.at = size[i], .rank = SIZES_ADDED};
        old -= known;
    }
    w->n = n;
}

/* Adds sizes twice: the second time next to those of the first time, which are visited once for
 * that, if there is time. False: the row has ended. */
static bool densify(struct measuring *w)
{
    if (!is_by_size(w))
        return true;
    refine(w);
    for (size_t i = 0; i < w->n; i++) {
        if (w->point[i].all.pairs > 0 || budget_used(&w->budget) > FIRST_SHARE)
            continue;
        if (!visit_first(w, i))
            return false;
    }
    refine(w);
    return true;
}

/* Each pass has its part of a point's visits. */
static unsigned times_of(const void *ctx, unsigned k, size_t i)
{
    const struct measuring *w = ctx;
    unsigned all = w->point[i].passes;

    return all * (k + 1) / POINT_PASSES - all * k / POINT_PASSES;
}

static bool visit_point(void *ctx, size_t i, struct pairs_figure *exclusive,
                        struct pairs_figure *all)
{
    struct measuring *w = ctx;

    return visit(w, w->point[i].at, exclusive, all);
}

/* The sizes with the figures of the last screen get more time. */
static double weight_of(const void *ctx, size_t i)
{
    const struct measuring *w = ctx;

    return w->point[i].rank == SIZES_REPRESENTATIVE ? SIZES_REPRESENTATIVE_TIMES : 1;
}

/* Makes the passes after the first one, and uses the time that is left for the points that need it
 * most. False: the row has ended. */
static bool pass_all(struct measuring *w)
{
    const struct points p = {w->e, w->visits,   w->n,     w->cost,     &w->budget, POINT_PASSES,
                             1,    FIRST_SHARE, times_of, visit_point, w};

    for (unsigned k = 0; k < p.passes; k++)
        if (!points_pass(&p, k))
            return false;
    return points_improve(&p, weight_of);
}

/* --- the result ------------------------------------------------------------------------------- */

static void conclude(struct measuring *w)
{
    struct curve *c = &w->curve;

    c->rounds = is_proof(w->e) ? 1 : POINT_ROUNDS;
    c->n = w->n;
    for (size_t i = 0; i < c->n; i++)
        c->point[i] = point_of(&w->visits[i], w->point[i].at, w->e);
    point_levels(c);
    if (w->e->facts.execution == EXEC_EMULATED)
        c->spoiled = CURVE_EMULATED;
}

/* --- the row ---------------------------------------------------------------------------------- */

/* Returns the bytes of the area that points may need. */
static uint64_t most_bytes(const struct measuring *w)
{
    uint64_t proof =
        bench_is_pages(w->curve.out.bench->curve.load) ? PROOF_PAGES * w->area.page : PROOF_MOST;

    return is_proof(w->e) && is_by_size(w) && w->set_bytes > proof ? proof : w->set_bytes;
}

/* Maps the area, and divides it into sets and map. False: it could not be mapped; the row says
 * why. */
static bool open_area(struct measuring *w)
{
    const struct platform *p = w->e->p;
    const char *why = "this platform has no large area of memory";
    bool pages = bench_is_pages(w->curve.out.bench->curve.load);
    uint64_t map = pages ? 0 : chase_map_bytes(w->curve.wanted) + PAGE;
    const struct platform_wish wish = {.page = needs_page(&w->curve),
                                       .bytes = w->curve.wanted + map,
                                       .same = pages && needs_page(&w->curve) > PAGE,
                                       .code = w->curve.out.bench->curve.load == BENCH_CODE};

    if (!p->area || !p->area(p, &wish, &w->area, &why)) {
        outcome_fail(&w->curve.out, ROW_UNSUPPORTED, why);
        return false;
    }
    w->curve.page = w->area.page;
    /* A bit for each line takes 1/512 of what it describes. */
    w->set_bytes = pages ? needs_most_pages(&w->area) : w->area.bytes / 513 * 512 / PAGE * PAGE;
    w->map = pages ? w->page_map : (uint64_t *)(void *)(w->area.at + w->set_bytes);
    w->curve.less_memory = w->set_bytes < w->curve.wanted;
    return true;
}

static struct sizes_plan plan_within(const struct measuring *w, double budget)
{
    static const struct sizes_visits once = {1, 1, 1},
                                     often = {VISITS_LEAST, VISITS_ENOUGH, POINT_VISITS};
    struct sizes_cost cost[SIZES_MOST];

    for (size_t i = 0; i < w->n; i++)
        cost[i] = (struct sizes_cost){w->cost[i], w->point[i].all.pairs > 0, w->point[i].rank};
    return sizes_plan(cost, w->n, is_proof(w->e) ? once : often, budget);
}

/* Finds the points with the figures of the last screen. */
static void rank_points(struct measuring *w)
{
    for (size_t i = 0; i < w->n; i++)
        if (needs_is_representative(&w->curve, w->point[i].at,
                                    i + 1 < w->n ? w->point[i + 1].at : 0))
            w->point[i].rank = SIZES_REPRESENTATIVE;
}

/* Plans the passes over the points. Without the largest sizes a curve is shorter; offsets and
 * states are all measured, however long they take. */
static void plan_passes(struct measuring *w)
{
    double budget = is_proof(w->e) ? 1e9 : budget_left(&w->budget);
    struct sizes_plan plan = plan_within(w, budget);
    size_t n = 0;

    while (plan.shorter && !is_by_size(w)) {
        budget = budget > 0 ? 2 * budget : w->budget.seconds;
        plan = plan_within(w, budget);
    }
    for (size_t i = 0; i < w->n; i++) {
        struct point *p = &w->point[i];
        if (plan.visits[i] == 0)
            continue;
        bool first = p->all.pairs > 0;
        p->passes = plan.visits[i] - first;
        if (first)
            visits_add(&w->visits[n], 0, &p->exclusive, &p->all);
        w->cost[n] = w->cost[i];
        w->point[n++] = *p;
    }
    w->n = n;
    w->curve.less_time = w->curve.less_time || plan.shorter;
}

static bool measure_points(struct measuring *w)
{
    uint64_t at[SIZES_MOST];

    w->n = needs_points(&w->curve, most_bytes(w), at);
    if (w->n == 0) {
        outcome_fail(&w->curve.out, ROW_UNSUPPORTED, "there is less memory than the smallest size");
        return false;
    }
    for (size_t i = 0; i < w->n; i++)
        w->point[i] = (struct point){.at = at[i], .rank = SIZES_GRID};
    if (!pass_first(w) || !densify(w))
        return false;
    rank_points(w);
    plan_passes(w);
    return pass_all(w);
}

static void measure_in_area(struct measuring *w)
{
    if (!open_area(w))
        return;
    budget_go_on(&w->budget, LEFT_LEAST);
    if (measure_points(w))
        conclude(w);
    w->e->p->area_free(w->e->p, &w->area);
}

/* Measures with the prefetchers as the row asks for them. */
static void measure_prefetched(struct measuring *w)
{
    const struct platform *p = w->e->p;
    bool off = w->curve.out.bench->curve.no_prefetch;
    const char *why = "needs ring 0: MSRs control the prefetchers";
    unsigned core = w->e->facts.core;

    if (p->prefetch)
        w->curve.prefetch = p->prefetch(p, core, off, &why);
    if (off && !w->curve.prefetch) {
        outcome_fail(&w->curve.out, ROW_UNSUPPORTED, why);
        return;
    }
    measure_in_area(w);
    if (off)
        (void)p->prefetch(p, core, false, &why);
}

static void measure(struct measuring *w)
{
    const struct platform *p = w->e->p;
    const char *why = needs_lacks(p, &w->curve.out.bench->curve);

    outcome_fail(&w->curve.out, ROW_UNSUPPORTED, why);
    if (why)
        return;
    needs_find(&w->curve, p);
    measure_prefetched(w);
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
    const struct one_core s = {measure_here, sizeof(struct measuring), b->curve.ms};
    const struct measuring *w = one_core_measure(plan, b, k, &s);

    return w ? &w->curve.out : NULL;
}

static double guess(const struct engine *e, const struct bench *b)
{
    return budget_guess(&e->facts, b->curve.ms);
}

const struct kind kind_curve = {.name = "curve",
                                .timed = true,
                                .needs_area = true,
                                .options = OPTIONS_CURVES,
                                .no_body = "it measures a curve over sizes",
                                .guess = guess,
                                .measure = measure_row};
