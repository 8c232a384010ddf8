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
#include "bench/kinds/chase.h"
#include "bench/kinds/curve_visit.h"
#include "bench/result/series.h"
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
    struct loop loop; /* first */
    struct platform_area area;
    uint64_t *map; /* at the area's end; of pages: */
    uint64_t page_map[NEEDS_PAGES_MOST / 64];
    uint64_t set_bytes; /* of the area before the map */
    /* Of a row by node: the memory of each node, of the same size; at NULL: no memory. That of the
     * core's own node may be `area`. */
    struct platform_area node[NUMA_NODES];
};

_Static_assert(sizeof(struct measuring) <= INTERLEAVE_NEED * sizeof(uint64_t),
               "a curve does not fit an engine's memory");

static struct measuring *measuring_of(struct loop *w)
{
    return (struct measuring *)(void *)w;
}

static const struct bench_curve *row_of(const struct loop *w)
{
    return bench_curve(w->series.out.bench);
}

static bool is_by_size(const struct loop *w)
{
    return bench_by(row_of(w)) == BENCH_BY_SIZE;
}

static bool is_by_node(const struct loop *w)
{
    return bench_by(row_of(w)) == BENCH_BY_NODE;
}

/* --- a visit ---------------------------------------------------------------------------------- */

/* Returns where in the area a set begins: on another page each time, if there is room and pages are
 * small. */
static uint8_t *place_of(const struct measuring *m, const struct platform_area *area,
                         uint64_t bytes)
{
    if (bench_is_pages(row_of(&m->loop)->load) && area->page > PAGE)
        return area->at;
    uint64_t pages = (m->set_bytes - bytes) / PAGE + 1;

    return area->at + m->loop.seed * 0x9e3779b97f4a7c15u / PAGE % pages * PAGE;
}

/* Returns the bytes of the area that points may need. */
static uint64_t most_bytes(const struct measuring *m)
{
    uint64_t proof =
        bench_is_pages(row_of(&m->loop)->load) ? PROOF_PAGES * m->area.page : PROOF_MOST;
    bool less = is_by_size(&m->loop) || is_by_node(&m->loop);

    return loop_is_proof(&m->loop) && less && m->set_bytes > proof ? proof : m->set_bytes;
}

static void visit(struct loop *w, int64_t x, struct loop_visit *v)
{
    struct measuring *m = measuring_of(w);
    const struct platform_area *area = is_by_node(w) ? &m->node[x] : &m->area;
    uint64_t evict, at = is_by_node(w) ? most_bytes(m) : (uint64_t)x,
                    bytes = needs_bytes(&w->series, at, &evict);
    struct visit_set set = {row_of(w), area, place_of(m, area, bytes), at, evict, m->map, w->seed};
    struct visit taken = {0};

    visit_take(w->e, &set, loop_is_proof(w) ? 1 : VISIT_PAIRS, &taken);
    w->series.checked += taken.elements;
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
    uint64_t size[SIZES_MOST], page = needs_page(&w->series);
    bool pages = bench_is_pages(row_of(w)->load);
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
    if (!is_by_size(w))
        return false;
    add_sizes(w);
    return w->turns++ == 0;
}

/* Finds the points with the figures of the last screen. */
static void rank_points(struct loop *w)
{
    for (size_t i = 0; i < w->n; i++)
        if (needs_is_representative(&w->series, w->point[i].x,
                                    i + 1 < w->n ? w->point[i + 1].x : 0))
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
    w->series.less_time = w->series.less_time || plan.shorter;
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

/* --- conclusions ------------------------------------------------------------------------------ */

/* Other loads, and strides, where prefetchers begin again, have a cost per lap, which smaller sizes
 * share between fewer operations. */
static bool may_fall(const struct bench_curve *kind)
{
    return !bench_is_chase(kind->load) || kind->stride;
}

/* Finds the levels and compares them with the caches, or sets c->spoiled. */
static void judge(struct series *c, enum execution execution)
{
    struct level_point point[SIZES_MOST] = {{0}}, calm[SIZES_MOST];

    (void)execution; /* counted instructions have levels too */
    for (size_t i = 0; i < c->n; i++) {
        const struct point *p = &c->point[i];
        bool cycles = is_known(p->cycles);
        point[i] =
            (struct level_point){(uint64_t)p->x, cycles ? p->cycles : p->ticks, p->lo, p->hi};
        calm[i] = point[i];
        if (p->shared) /* it is marked; another size that is faster says nothing */
            calm[i].value = UNKNOWN;
    }
    c->levels = 0;
    if (bench_by(bench_curve(c->out.bench)) == BENCH_BY_SIZE)
        c->levels = levels_find(point, c->n, c->cache, c->caches, c->level);
    if (c->spoiled == SERIES_CLEAN && !may_fall(bench_curve(c->out.bench)) &&
        levels_fall(calm, c->n, &c->falls_at))
        c->spoiled = SERIES_FALLS;
}

/* --- the row ---------------------------------------------------------------------------------- */

/* Maps the area, and divides it into sets and map. False: it could not be mapped; the row says
 * why. */
static bool open_area(struct measuring *m)
{
    const struct platform *p = m->loop.e->p;
    struct series *c = &m->loop.series;
    const char *why = "this platform has no large area of memory";
    bool pages = bench_is_pages(row_of(&m->loop)->load);
    uint64_t map = pages ? 0 : chase_map_bytes(c->wanted) + PAGE;
    const struct platform_wish wish = {.page = needs_page(c),
                                       .bytes = c->wanted + map,
                                       .same = pages && needs_page(c) > PAGE,
                                       .code = row_of(&m->loop)->load == BENCH_CODE};

    if (!p->areas.map || !p->areas.map(p, &wish, &m->area, &why)) {
        outcome_fail(&c->out, ROW_UNSUPPORTED, why);
        return false;
    }
    c->page = m->area.page;
    /* A bit for each line takes 1/512 of what it describes. */
    m->set_bytes = pages ? needs_most_pages(&m->area) : m->area.bytes / 513 * 512 / PAGE * PAGE;
    m->map = pages ? m->page_map : (uint64_t *)(void *)(m->area.at + m->set_bytes);
    c->less_memory = m->set_bytes < c->wanted;
    return true;
}

static void close_nodes(struct measuring *m)
{
    const struct platform *p = m->loop.e->p;

    for (unsigned i = 0; i < NUMA_NODES; i++)
        if (m->node[i].at && m->node[i].at != m->area.at)
            p->areas.free(p, &m->node[i]);
}

/* Maps memory of each node; all use as much as the smallest has. False: not even two have some. */
static bool open_nodes(struct measuring *m)
{
    const struct platform *p = m->loop.e->p;
    struct series *c = &m->loop.series;
    const char *why = "needs memory on several nodes (SRAT)";
    unsigned there = 0;

    for (unsigned i = 0; numa_is_divided(p->numa) && i < p->numa->nodes; i++) {
        const struct platform_wish wish = {
            .page = needs_page(c), .bytes = m->set_bytes, .node = i + 1};
        const char *refused = why;
        if (p->numa->bytes[i] == 0 || !p->areas.map(p, &wish, &m->node[i], &refused)) {
            why = refused;
            continue;
        }
        uint64_t bytes = m->node[i].bytes / PAGE * PAGE;
        m->set_bytes = bytes < m->set_bytes ? bytes : m->set_bytes;
        there++;
    }
    c->less_memory = m->set_bytes < c->wanted;
    if (there < 2)
        outcome_fail(&c->out, ROW_UNSUPPORTED, why);
    return there >= 2;
}

/* Sets the prefetchers as the row asks for them. False: the row says why it cannot. */
static bool set_prefetch(struct loop *w)
{
    const struct platform *p = w->e->p;
    const char *why = "needs ring 0: MSRs control the prefetchers";
    bool off = row_of(w)->no_prefetch;

    if (p->prefetch)
        w->series.prefetch = p->prefetch(p, w->e->facts.core, off, &why);
    if (off && !w->series.prefetch)
        outcome_fail(&w->series.out, ROW_UNSUPPORTED, why);
    return !off || w->series.prefetch;
}

static void restore_prefetch(const struct loop *w)
{
    const char *why;

    if (row_of(w)->no_prefetch)
        (void)w->e->p->prefetch(w->e->p, w->e->facts.core, false, &why);
}

static void close_row(struct loop *w)
{
    close_nodes(measuring_of(w));
    w->e->p->areas.free(w->e->p, &measuring_of(w)->area);
    restore_prefetch(w);
}

static bool open_row(struct loop *w)
{
    struct measuring *m = measuring_of(w);

    needs_find(&w->series, w->e->p);
    w->series.node = platform_node(w->e->p, w->e->facts.core);
    if (!set_prefetch(w))
        return false;
    if (!open_area(m)) {
        restore_prefetch(w);
        return false;
    }
    if (is_by_node(w) && !open_nodes(m)) {
        close_row(w);
        return false;
    }
    budget_go_on(&w->budget, LEFT_LEAST);
    return true;
}

/* Writes the nodes whose memory is mapped. */
static size_t write_nodes(const struct measuring *m, uint64_t at[SIZES_MOST])
{
    size_t n = 0;

    for (unsigned i = 0; i < NUMA_NODES && n < SIZES_MOST; i++)
        if (m->node[i].at)
            at[n++] = i;
    return n;
}

static void points(struct loop *w)
{
    const struct measuring *m = measuring_of(w);
    uint64_t at[SIZES_MOST];
    size_t n = is_by_node(w) ? write_nodes(m, at) : needs_points(&w->series, most_bytes(m), at);

    if (n == 0)
        outcome_fail(&w->series.out, ROW_UNSUPPORTED,
                     "there is less memory than the smallest size");
    for (size_t i = 0; i < n; i++) {
        (void)loop_add(w, (int64_t)at[i]);
        w->point[i].rank = SIZES_GRID;
    }
}

static const char *lacks(const struct platform *p, const struct bench *b)
{
    return needs_lacks(p, bench_curve(b));
}

static const struct loop_steps steps = {.first_share = FIRST_SHARE,
                                        .keep_first = true,
                                        .passes = PASSES,
                                        .passes_least = PASSES,
                                        .bytes = sizeof(struct measuring),
                                        .lacks = lacks,
                                        .open = open_row,
                                        .close = close_row,
                                        .points = points,
                                        .visit = visit,
                                        .is_late = is_late,
                                        .refine = refine,
                                        .plan = plan,
                                        .times = times,
                                        .judge = judge,
                                        .weight = weight};

const struct kind kind_curve = {.name = "curve",
                                .timed = true,
                                .needs_area = true,
                                .options = OPTIONS_CURVES,
                                .no_body = "it measures a curve over sizes",
                                .heading = " of an operation, by size of the working set",
                                .steps = &steps,
                                .point = "size",
                                .is_curve = true,
                                .ms = bench_curve_ms,
                                .measure = loop_measure};
