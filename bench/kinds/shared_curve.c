/*
 * Curves that several cores measure at once (enum bench_team): bandwidth by number of cores;
 * latency of a chase on one core while the others stream at several rates; flushes of lines that
 * another core holds. Times are ticks of the TSC, never core cycles: two cores have two clocks.
 *
 * The cores meet as in a row of suite `cores` (bench/kinds/team.h): each part is guarded, and
 * a rendezvous for which a core comes too late is repeated. The cores share the memory; each one
 * works on a part of it.
 */
#include "bench/kinds/kinds.h"
#include "bench/engine/plan.h"
#include "bench/result/series.h"
#include "bench/engine/poll.h"
#include "bench/kinds/team.h"
#include "bench/kinds/chase.h"
#include "bench/kinds/curve_visit.h"
#include "bench/kinds/stream.h"
#include "bench/kinds/shared_curve_part.h"
#include "bench/engine/interleave.h"
#include "lib/cpu/caches.h"
#include "lib/stats/mathx.h"
#include "lib/stats/stats.h"
#include "lib/text/mem.h"

#define ROUND_SECONDS 4e-3
#define ROUND_TICKS   100000         /* if the TSC's frequency is not known, or is an emulator's */
#define SET_MOST      (512ull << 20) /* bytes of a core: more would take too long to fill */
#define SET_PROOF     (256ull << 10) /* where no CPU executes the code */
#define SET_ALIGN     (128ull << 10) /* a copy has two halves of whole TOGETHER_LINES */
#define MB            1e6
/* Limits for a system that may give a core no CPU. A wait for the core may take 1/PATIENCE_PART of
 * the time of other rows of several cores. Once the waits of all curves have exceeded their times
 * by LATE_MOST seconds, the rest is not measured. */
#define PATIENCE_PART 2
#define LATE_MOST     5.0

_Static_assert(sizeof(struct gathering) <= INTERLEAVE_NEED * sizeof(uint64_t),
               "a curve of several cores does not fit an engine's memory");
_Static_assert(TOGETHER_STEPS <= TEAM_FIGURES && TOGETHER_ROUNDS <= TEAM_FIGURES &&
                   SET_ALIGN % (2 * TOGETHER_LINES * STREAM_LINE) == 0,
               "a part does not fit");

static const struct engine *engine_of(const struct gathering *g)
{
    return &g->team->plan->core[0].engine;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* --- a rendezvous ----------------------------------------------------------------------------- */

/* A core and its place in the rendezvous. */
struct attendant {
    struct gathering *g;
    unsigned place;
};

static void part_here(void *ctx)
{
    const struct attendant *attendant = ctx;

    switch (attendant->g->kind->team) {
    case BENCH_CORES:
        together_stream(attendant->g, attendant->place);
        break;
    case BENCH_LOADED:
        together_loaded(attendant->g, attendant->place);
        break;
    case BENCH_HELD:
    case BENCH_ALONE:
        together_held(attendant->g, attendant->place);
        break;
    }
}

static void meet_here(void *ctx, unsigned core)
{
    struct attendant attendant = {.g = ctx};

    while (attendant.g->team->plan->present[attendant.place] != core)
        attendant.place++;
    team_part(attendant.g->team, attendant.place, part_here, &attendant);
}

static const char *wrong(const struct gathering *g)
{
    if (g->kind->team == BENCH_HELD)
        return "a flushed line does not have what another core wrote";
    return g->kind->team == BENCH_LOADED
               ? "the chase did not visit every element once, or a word was not read or written"
               : "not every word was read, or has the value that was written";
}

static enum team_end meet(struct gathering *g, unsigned n)
{
    struct team *c = g->team;
    uint64_t elements;
    bool right = true;

    c->hot = 0;
    enum team_end end = team_meet(c, n, meet_here, g, &elements);
    if (end != TEAM_MET)
        return end;
    g->curve.checked += elements;
    for (unsigned i = 0; i < n; i++)
        right = right && !c->core[i].word;
    if (right)
        return TEAM_MET;
    team_fail(c, ROW_WRONG, wrong(g));
    return TEAM_FAILED;
}

/* Meets until no core is late. False: the row has failed, or the user stopped the run. */
static bool met(struct gathering *g, unsigned n)
{
    enum team_end end = TEAM_AGAIN;

    while (end == TEAM_AGAIN) {
        if (!team_go_on(g->team))
            return false;
        end = meet(g, n);
    }
    return end == TEAM_MET;
}

/* --- the points ------------------------------------------------------------------------------- */

/* Adds a point: the median of n figures in ticks, and their range. */
static struct point *add(struct gathering *g, uint64_t x, double *ticks, unsigned n)
{
    struct point *p = &g->curve.point[g->curve.n++];
    double middle = median(ticks, n); /* sorts */

    *p = (struct point){.x = (int64_t)x,
                        .ticks = middle,
                        .cycles = UNKNOWN,
                        .lo = ticks[0],
                        .hi = ticks[n - 1],
                        .visits = n};
    return p;
}

/* Returns the lines per tick of cores [from, n) in a round or step. */
static double rate(const struct gathering *g, unsigned from, unsigned n, unsigned round)
{
    double sum = 0;

    for (unsigned i = from; i < n; i++) {
        const struct team_core *s = &g->team->core[i];
        if (s->round_ticks[round])
            sum += (double)s->round_operations[round] / (double)s->round_ticks[round];
    }
    return sum;
}

/* Returns the area on the node of the core at a place of the team; without one the first area. */
static struct together_area *area_for(struct gathering *g, unsigned place)
{
    const struct plan *plan = g->team->plan;
    int node = platform_node(plan->p, plan->list[g->team->places[place]]);

    for (unsigned i = 0; i < g->areas; i++)
        if (g->area[i].node == node)
            return &g->area[i];
    return &g->area[0];
}

/* Gives the cores at places [from, n) equal sets, each in the memory of its node. Returns the bytes
 * that there are for each. */
static uint64_t place_sets(struct gathering *g, unsigned from, unsigned n)
{
    bool proof = engine_of(g)->facts.execution != EXEC_SILICON;
    uint64_t each = UINT64_MAX;

    for (unsigned i = 0; i < g->areas; i++)
        g->area[i].cores = 0;
    for (unsigned i = from; i < n; i++)
        area_for(g, i)->cores++;
    for (unsigned i = 0; i < g->areas; i++)
        if (g->area[i].cores)
            each = least(each, g->area[i].bytes / g->area[i].cores);
    g->set = least(least(each, g->kind->team == BENCH_CORES ? g->curve.wanted : SET_MOST),
                   proof ? SET_PROOF : SET_MOST) /
             SET_ALIGN * SET_ALIGN;
    for (unsigned i = from; i < n; i++)
        g->set_at[i] = area_for(g, i)->at + --area_for(g, i)->cores * g->set;
    return each;
}

/* Measures n cores: the ticks of a line, by all of them together. */
static bool by_cores(struct gathering *g, unsigned n)
{
    double ticks[TOGETHER_ROUNDS];
    uint64_t each = place_sets(g, 0, n);

    if (g->set == 0) {
        team_fail(g->team, ROW_UNSUPPORTED, "there is too little memory for all cores");
        return false;
    }
    g->curve.less_memory = g->curve.less_memory || each < g->curve.wanted / n;
    if (!met(g, n))
        return false;
    for (unsigned i = 0; i < g->rounds; i++)
        ticks[i] = 1 / rate(g, 0, n, i);
    add(g, n, ticks, g->rounds)->set = g->set;
    return true;
}

/* Measures 1, 2, 4 ... and all cores. If the time is over, only one and all. */
static void measure_cores(struct gathering *g, unsigned n)
{
    bool silicon = engine_of(g)->facts.execution == EXEC_SILICON;

    for (unsigned cores = 1; cores < n; cores *= 2) {
        g->curve.less_time = silicon && cores > 1 && budget_left(&g->budget) < 0;
        if (g->curve.less_time)
            break;
        if (!by_cores(g, cores))
            return;
    }
    (void)by_cores(g, n);
}

/* Returns the bytes of memory that n cores want: for each of the largest caches several times its
 * size. */
static uint64_t wanted(struct gathering *g, unsigned n)
{
    if (g->kind->team == BENCH_HELD)
        return FLUSH_BYTES;
    return g->curve.wanted * caches_domains(g->curve.cache, g->curve.caches, n);
}

/* Divides the memory: half of the first area for the chase and its map, the rest for the others. */
static bool divide(struct gathering *g, unsigned n)
{
    bool proof = engine_of(g)->facts.execution != EXEC_SILICON;
    struct together_area *first = &g->area[0];
    uint64_t bytes = first->bytes, half = bytes / 2 / SET_ALIGN * SET_ALIGN,
             most = proof ? SET_PROOF : SET_MOST;
    unsigned on_first = 0; /* cores of that node */

    for (unsigned i = 0; i < n; i++)
        on_first += area_for(g, i) == first;
    g->chased = first->at;
    g->chased_bytes = least(least(half / 513 * 512, g->curve.wanted), most) / SET_ALIGN * SET_ALIGN;
    g->map = (uint64_t *)(void *)(g->chased + g->chased_bytes);
    first->at += half;
    first->bytes -= half;
    (void)place_sets(g, 1, n);
    g->curve.less_memory = bytes < wanted(g, on_first) && g->chased_bytes < most;
    return g->set > 0 && g->chased_bytes > 0;
}

/* Sorts the points by what the other cores moved. */
static void sort(struct series *c)
{
    for (size_t i = 1; i < c->n; i++)
        for (size_t k = i; k > 0 && c->point[k - 1].x > c->point[k].x; k--) {
            struct point p = c->point[k];
            c->point[k] = c->point[k - 1];
            c->point[k - 1] = p;
        }
}

static void measure_loaded(struct gathering *g, unsigned n)
{
    const struct engine *e = engine_of(g);

    if (!divide(g, n)) {
        team_fail(g->team, ROW_UNSUPPORTED, "there is too little memory for all cores");
        return;
    }
    if (!met(g, n))
        return;
    for (unsigned i = 0; i < TOGETHER_STEPS; i++) {
        double moved = rate(g, 1, n, i) * STREAM_LINE * run_limit_hz(&e->facts) / MB;
        add(g, (uint64_t)(moved + 0.5), g->latency[i], g->pairs)->set = g->chased_bytes;
    }
    sort(&g->curve);
}

static void measure_held(struct gathering *g)
{
    if (!met(g, 2))
        return;
    for (unsigned i = 0; i < TOGETHER_STATES; i++)
        add(g, LINE_STATES_ALONE + i, g->flush[i], g->pairs)->set = FLUSH_BYTES;
}

/* --- the row ---------------------------------------------------------------------------------- */

static void measure_here(struct gathering *g, unsigned n)
{
    g->curve.page = BENCH_4K;
    switch (g->kind->team) {
    case BENCH_CORES:
        measure_cores(g, n);
        break;
    case BENCH_LOADED:
        measure_loaded(g, n);
        break;
    case BENCH_HELD:
    case BENCH_ALONE:
        measure_held(g);
        break;
    }
    g->curve.rounds = g->kind->team == BENCH_CORES ? g->rounds : g->pairs;
    if (engine_of(g)->facts.execution == EXEC_EMULATED)
        g->curve.spoiled = SERIES_EMULATED;
}

/* Maps an area; `node` as in struct platform_wish. */
static bool map_area(struct gathering *g, const struct platform *p, unsigned node, uint64_t bytes,
                     const char **why)
{
    const struct platform_wish wish = {
        .page = BENCH_4K, .bytes = bytes, .shared = true, .node = node};
    struct together_area *a = &g->area[g->areas];

    if (!p->areas.map || !p->areas.map(p, &wish, &a->area, why))
        return false;
    a->at = a->area.at;
    a->bytes = a->area.bytes;
    a->node = a->area.node;
    g->areas++;
    return true;
}

/* Maps memory of the first core's node; of any node where that is not possible. */
static bool map_first(struct gathering *g, const struct platform *p, uint64_t bytes,
                      const char **why)
{
    int node = platform_node(p, g->team->plan->list[g->team->places[0]]);

    return (numa_is_divided(p->numa) && node != NUMA_NONE &&
            map_area(g, p, (unsigned)node + 1, bytes, why)) ||
           map_area(g, p, 0, bytes, why);
}

/* Maps memory of the other nodes that have memory and cores of the team. Without it, they use that
 * of the first. */
static void map_nodes(struct gathering *g, const struct platform *p, unsigned n, uint64_t bytes)
{
    const char *why;

    for (unsigned i = 0; numa_is_divided(p->numa) && i < n && g->kind->team != BENCH_HELD; i++) {
        int node = platform_node(p, g->team->plan->list[g->team->places[i]]);
        if (node != NUMA_NONE && area_for(g, i)->node != node && p->numa->bytes[node] > 0 &&
            g->areas < NUMA_NODES)
            (void)map_area(g, p, (unsigned)node + 1, bytes, &why);
    }
}

static void measure(struct gathering *g, const struct platform *p)
{
    const char *why = needs_lacks(p, g->kind);
    unsigned n = team_take_places(g->team);

    team_fail(g->team, ROW_UNSUPPORTED, why);
    if (why)
        return;
    needs_find(&g->curve, p);
    why = "this platform has no large area of memory";
    if (!map_first(g, p, wanted(g, n), &why)) {
        team_fail(g->team, ROW_UNSUPPORTED, why);
        return;
    }
    map_nodes(g, p, n, wanted(g, n));
    measure_here(g, n);
    for (unsigned i = 0; i < g->areas; i++)
        p->areas.free(p, &g->area[i].area);
}

static void begin(struct gathering *g, struct plan *plan, const struct bench *b)
{
    const struct engine *e = &plan->core[0].engine;
    bool silicon = e->facts.execution == EXEC_SILICON;

    memset(g, 0, sizeof *g);
    team_begin(plan, b);
    g->team = team_of(plan);
    if (plan->p->cores && plan->p->cores->starved)
        g->team->patience /= PATIENCE_PART;
    g->kind = bench_curve(b);
    g->budget = budget_begin(&e->facts, bench_curve(b)->ms);
    g->seed = e->facts.o->seed;
    g->duration = silicon && run_has_hz(&e->facts) ? (uint64_t)(e->facts.tsc_hz * ROUND_SECONDS)
                                                   : ROUND_TICKS;
    g->rounds = silicon ? TOGETHER_ROUNDS : 1;
    g->pairs = silicon ? TOGETHER_PAIRS : 1;
    g->curve.out.bench = b;
    g->curve.out.core = plan->list[0];
}

static const struct outcome *measure_row(struct plan *plan, const struct bench *b, unsigned k)
{
    struct engine *e = &plan->core[k].engine;
    struct gathering *g = (struct gathering *)(void *)e->memory;

    begin(g, plan, b);
    span_begin(e, &g->curve.out, bench_curve(b)->ms);
    if (!team_has_two(plan))
        team_fail(g->team, ROW_UNSUPPORTED, TEAM_ALONE);
    else if (plan->late > LATE_MOST)
        team_fail(g->team, ROW_UNSUPPORTED,
                  "curves of several cores waited for cores that were not given the CPU in time");
    else
        measure(g, plan->p);
    span_end(e, &g->curve.out);
    if (plan->p->cores && plan->p->cores->starved && budget_left(&g->budget) < 0)
        plan->late -= budget_left(&g->budget);
    g->curve.out.status = g->team->met.row.out.status;
    g->curve.out.why = g->team->met.row.out.why;
    g->curve.out.ended = g->team->met.row.out.ended;
    return plan->poll->stopped ? NULL : &g->curve.out;
}

const struct kind kind_shared_curve = {.name = "curve",
                                       .conducted = true,
                                       .needs_two = true,
                                       .timed = true,
                                       .needs_area = true,
                                       .options = OPTIONS_CURVES,
                                       .heading = " of an operation, by size of the working set",
                                       .point = "size",
                                       .is_curve = true,
                                       .no_body = "several cores measure a curve",
                                       .memory = team_memory,
                                       .ms = bench_curve_ms,
                                       .measure = measure_row};
