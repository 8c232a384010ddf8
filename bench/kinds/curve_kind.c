/*
 * Curves over sizes (suite `memory`): a core measures working sets of many sizes. A first pass over
 * a grid of sizes finds where the curve bends and what a measurement costs; then sizes are added
 * there, and the rest is planned so that the row keeps to its time (lib/curve/sizes.h). Each
 * measurement (a visit) has another order of the elements and another place in the area, as a row
 * has several placements; passes over the sizes go forward and back, as rounds.
 */
#include "bench/kinds/kinds.h"
#include "bench/engine/interleave.h"
#include "bench/engine/loop.h"
#include "bench/engine/plan.h"
#include "bench/kinds/chase.h"
#include "bench/kinds/curve_visit.h"
#include "bench/result/curve.h"
#include "lib/stats/mathx.h"

#define PAGE   4096u
#define PASSES 4  /* over the points after the first visits */
#define VISITS 16 /* of a point in all of them, at most */
/* The first visits may take this share of the time. A size costs at most this factor more than the
 * one before: it is at most twice as large, and may leave a cache. */
#define FIRST_SHARE   0.5
#define FIRST_NEXT    3
#define VISITS_ENOUGH 5   /* with 3, Student's t is 9.9, with 5 it is 4.6 */
#define LEFT_LEAST    0.3 /* of the row's time, for its points, however long the area took */
/* Limits for an emulator: one visit of a few sizes, with one pair of walks. */
#define PROOF_MOST  (256u << 10)
#define PROOF_PAGES 64u

_Static_assert(VISITS <= VISITS_MOST && 1 + PASSES <= VISITS_ROUNDS_MOST, "visits fit");

/* A curve that is being measured, in the engine's memory. */
struct measuring {
    struct curve curve;
    struct loop loop;
    struct platform_area area;
    uint64_t *map; /* at the area's end; of pages: */
    uint64_t page_map[NEEDS_PAGES_MOST / 64];
    uint64_t set_bytes; /* of the area before the map */
    bool refined;       /* sizes were added once */
};

_Static_assert(sizeof(struct measuring) <= INTERLEAVE_NEED * sizeof(uint64_t),
               "a curve does not fit an engine's memory");

static struct measuring *measuring_of(const struct loop *w)
{
    return w->ctx;
}

static bool is_by_size(const struct loop *w)
{
    return bench_by(bench_curve(w->out->bench)) == BENCH_BY_SIZE;
}

/* --- a visit ---------------------------------------------------------------------------------- */

/* Returns where in the area a set begins: on another page each time, if there is room and pages are
 * small. */
static uint8_t *place_of(const struct measuring *m, uint64_t bytes)
{
    if (bench_is_pages(bench_curve(m->curve.out.bench)->load) && m->area.page > PAGE)
        return m->area.at;
    uint64_t pages = (m->set_bytes - bytes) / PAGE + 1;

    return m->area.at + m->loop.seed * 0x9e3779b97f4a7c15u / PAGE % pages * PAGE;
}

static void visit(const struct loop *w, int64_t x, struct loop_visit *v)
{
    struct measuring *m = measuring_of(w);
    uint64_t evict, bytes = needs_bytes(&m->curve, x, &evict);
    struct visit_set set = {
        bench_curve(w->out->bench), &m->area, place_of(m, bytes), x, evict, m->map, w->seed};
    struct visit taken = {0};

    visit_take(w->e, &set, loop_is_proof(w) ? 1 : VISIT_PAIRS, &taken);
    m->curve.elements += taken.elements;
    *v = (struct loop_visit){taken.exclusive, taken.all, taken.wrong, taken.lacks};
}

/* --- the points ------------------------------------------------------------------------------- */

/* Offsets and states are all measured, however long they take. */
static bool is_late(const struct loop *w, size_t i)
{
    double next = i > 0 ? FIRST_NEXT * w->point[i - 1].cost / w->budget.seconds : 0;

    return i > 1 && is_by_size(w) && budget_used(&w->budget) + next > FIRST_SHARE;
}

/* Adds sizes where the curve bends. Their cost is that of the next larger size. */
static void add_sizes(struct loop *w)
{
    const struct curve *c = &measuring_of(w)->curve;
    uint64_t size[SIZES_MOST], page = needs_page(c);
    bool pages = bench_is_pages(bench_curve(w->out->bench)->load);
    double first[SIZES_MOST];

    for (size_t i = 0; i < w->n; i++) {
        size[i] = w->point[i].x;
        first[i] = w->point[i].first;
    }
    size_t n = sizes_refine(size, first, w->n, pages ? page : SIZES_UNIT);
    for (size_t i = n; i-- > 0;) {
        size_t k = 0;
        while (k < w->n && (uint64_t)w->point[k].x < size[i])
            k++;
        if (k < w->n && (uint64_t)w->point[k].x == size[i])
            continue;
        double cost = k < w->n ? w->point[k].cost : 0;
        (void)loop_add(w, size[i]);
        w->point[k].cost = cost;
        w->point[k].rank = SIZES_ADDED;
    }
}

/* Adds sizes twice: the second time next to those of the first time, which are visited once for
 * that. */
static bool refine(struct loop *w)
{
    struct measuring *m = measuring_of(w);
    bool again = !m->refined;

    if (!is_by_size(w))
        return false;
    add_sizes(w);
    m->refined = true;
    return again;
}

/* Finds the points with the figures of the last screen. */
static void rank_points(struct loop *w)
{
    const struct curve *c = &measuring_of(w)->curve;

    for (size_t i = 0; i < w->n; i++)
        if (needs_is_representative(c, w->point[i].x, i + 1 < w->n ? w->point[i + 1].x : 0))
            w->point[i].rank = SIZES_REPRESENTATIVE;
}

/* --- the passes ------------------------------------------------------------------------------- */

static struct sizes_plan plan_within(const struct loop *w, double budget)
{
    static const struct sizes_visits once = {1, 1, 1},
                                     often = {VISITS_LEAST, VISITS_ENOUGH, VISITS};
    struct sizes_cost cost[SIZES_MOST];

    for (size_t i = 0; i < w->n; i++) {
        const struct loop_point *p = &w->point[i];
        cost[i] = (struct sizes_cost){p->cost, p->visits.n, (enum sizes_rank)p->rank};
    }
    return sizes_plan(cost, w->n, loop_is_proof(w) ? once : often, budget);
}

/* Plans the passes over the points. Without the largest sizes a curve is shorter; offsets and
 * states are all measured, however long they take. */
static void plan(struct loop *w)
{
    double budget = loop_is_proof(w) ? 1e9 : budget_left(&w->budget);
    size_t n = 0;

    rank_points(w);
    struct sizes_plan plan = plan_within(w, budget);
    while (plan.shorter && !is_by_size(w)) {
        budget = budget > 0 ? 2 * budget : w->budget.seconds;
        plan = plan_within(w, budget);
    }
    for (size_t i = 0; i < w->n; i++) {
        if (plan.visits[i] == 0)
            continue;
        w->point[n] = w->point[i];
        w->point[n].wish = plan.visits[i] - w->point[n].visits.n;
        n++;
    }
    w->n = n;
    w->passes = PASSES;
    w->less_time = w->less_time || plan.shorter;
}

/* Each pass has its part of a point's visits. */
static unsigned times(const struct loop *w, unsigned pass, size_t i)
{
    unsigned all = w->point[i].wish;

    return all * (pass + 1) / PASSES - all * pass / PASSES;
}

/* The sizes with the figures of the last screen get more time. */
static double weight(const struct loop *w, size_t i)
{
    return w->point[i].rank == SIZES_REPRESENTATIVE ? SIZES_REPRESENTATIVE_TIMES : 1;
}

/* --- the result ------------------------------------------------------------------------------- */

static void conclude(struct loop *w)
{
    struct curve *c = &measuring_of(w)->curve;

    c->less_time = w->less_time;
    c->rounds = loop_is_proof(w) ? 1 : loop_rounds(w);
    c->n = w->n;
    for (size_t i = 0; i < c->n; i++) {
        struct visits_figure f = loop_figure(w, i);
        c->point[i] = (struct curve_point){.bytes = w->point[i].x,
                                           .visits = w->point[i].visits.n,
                                           .ticks = f.ticks,
                                           .cycles = f.cycles,
                                           .lo = f.lo,
                                           .hi = f.hi,
                                           .shared = f.shared};
    }
    curve_judge(c);
    if (w->e->facts.execution == EXEC_EMULATED)
        c->spoiled = CURVE_EMULATED;
}

/* --- the row ---------------------------------------------------------------------------------- */

static const struct loop_steps steps = {.first_share = FIRST_SHARE,
                                        .keep_first = true,
                                        .passes_least = PASSES,
                                        .visit = visit,
                                        .is_late = is_late,
                                        .refine = refine,
                                        .plan = plan,
                                        .times = times,
                                        .conclude = conclude,
                                        .weight = weight};

/* Returns the bytes of the area that points may need. */
static uint64_t most_bytes(const struct measuring *m)
{
    uint64_t proof = bench_is_pages(bench_curve(m->curve.out.bench)->load)
                         ? PROOF_PAGES * m->area.page
                         : PROOF_MOST;

    return loop_is_proof(&m->loop) && is_by_size(&m->loop) && m->set_bytes > proof ? proof
                                                                                   : m->set_bytes;
}

/* Maps the area, and divides it into sets and map. False: it could not be mapped; the row says
 * why. */
static bool open_area(struct measuring *m)
{
    const struct platform *p = m->loop.e->p;
    const char *why = "this platform has no large area of memory";
    bool pages = bench_is_pages(bench_curve(m->curve.out.bench)->load);
    uint64_t map = pages ? 0 : chase_map_bytes(m->curve.wanted) + PAGE;
    const struct platform_wish wish = {.page = needs_page(&m->curve),
                                       .bytes = m->curve.wanted + map,
                                       .same = pages && needs_page(&m->curve) > PAGE,
                                       .code = bench_curve(m->curve.out.bench)->load == BENCH_CODE};

    if (!p->areas.map || !p->areas.map(p, &wish, &m->area, &why)) {
        outcome_fail(&m->curve.out, ROW_UNSUPPORTED, why);
        return false;
    }
    m->curve.page = m->area.page;
    /* A bit for each line takes 1/512 of what it describes. */
    m->set_bytes = pages ? needs_most_pages(&m->area) : m->area.bytes / 513 * 512 / PAGE * PAGE;
    m->map = pages ? m->page_map : (uint64_t *)(void *)(m->area.at + m->set_bytes);
    m->curve.less_memory = m->set_bytes < m->curve.wanted;
    return true;
}

static void measure_points(struct measuring *m)
{
    uint64_t at[SIZES_MOST];
    size_t n = needs_points(&m->curve, most_bytes(m), at);

    if (n == 0) {
        outcome_fail(&m->curve.out, ROW_UNSUPPORTED, "there is less memory than the smallest size");
        return;
    }
    for (size_t i = 0; i < n; i++) {
        (void)loop_add(&m->loop, at[i]);
        m->loop.point[i].rank = SIZES_GRID;
    }
    if (!loop_run(&m->loop))
        m->curve.n = m->curve.levels = 0;
}

static void measure_in_area(struct measuring *m)
{
    if (!open_area(m))
        return;
    budget_go_on(&m->loop.budget, LEFT_LEAST);
    measure_points(m);
    m->loop.e->p->areas.free(m->loop.e->p, &m->area);
}

/* Measures with the prefetchers as the row asks for them. */
static void measure_prefetched(struct measuring *m)
{
    const struct platform *p = m->loop.e->p;
    bool off = bench_curve(m->curve.out.bench)->no_prefetch;
    const char *why = "needs ring 0: MSRs control the prefetchers";
    unsigned core = m->loop.e->facts.core;

    if (p->prefetch)
        m->curve.prefetch = p->prefetch(p, core, off, &why);
    if (off && !m->curve.prefetch) {
        outcome_fail(&m->curve.out, ROW_UNSUPPORTED, why);
        return;
    }
    measure_in_area(m);
    if (off)
        (void)p->prefetch(p, core, false, &why);
}

static void measure(struct measuring *m)
{
    const struct platform *p = m->loop.e->p;
    const char *why = needs_lacks(p, bench_curve(m->curve.out.bench));

    outcome_fail(&m->curve.out, ROW_UNSUPPORTED, why);
    if (why)
        return;
    needs_find(&m->curve, p);
    measure_prefetched(m);
}

static void measure_here(struct engine *e, void *memory)
{
    struct measuring *m = memory;

    loop_begin(&m->loop, e, &m->curve.out, &steps, m);
    measure(m);
}

static const struct outcome *measure_row(struct plan *plan, const struct bench *b, unsigned k)
{
    const struct one_core s = {measure_here, sizeof(struct measuring), bench_curve(b)->ms};
    const struct measuring *w = one_core_measure(plan, b, k, &s);

    return w ? &w->curve.out : NULL;
}

static double guess(const struct engine *e, const struct bench *b)
{
    return budget_guess(&e->facts, bench_curve(b)->ms);
}

const struct kind kind_curve = {.name = "curve",
                                .timed = true,
                                .needs_area = true,
                                .options = OPTIONS_CURVES,
                                .no_body = "it measures a curve over sizes",
                                .guess = guess,
                                .measure = measure_row};
