#include "bench/kinds/forward_kind.h"
#include "lib/text/mem.h"
#include "bench/kinds/kinds.h"
#include "bench/engine/plan.h"
#include "bench/result/series.h"
#include "bench/api/tsc.h"
#include "bench/engine/guard.h"
#include "bench/engine/poll.h"
#include "bench/kinds/curve_visit.h"
#include "bench/engine/pairs.h"
#include "bench/engine/interleave.h"
#include "lib/stats/mathx.h"
#include "lib/stats/stats.h"

#define LINE    64
#define IN_PAGE 1024 /* a line of the page, with room before and after it */
#define CHECKED 64   /* operations */

/* Returns the offset of a store in its line. Loads begin up to load_bytes before it, and end up to
 * load_bytes after it. */
static unsigned in_line(unsigned store, unsigned load)
{
    unsigned at = load > store ? load : store; /* aligned to its own size */

    return at + store + load <= LINE ? at : 0;
}

/* Writes a value of which no two bytes are equal. */
static void first_value(uint8_t value[FORWARD_MOST])
{
    for (unsigned i = 0; i < FORWARD_MOST; i++)
        value[i] = (uint8_t)(0x91 + 3 * i);
}

void forward_place_build(struct forward_place *p, unsigned s, unsigned l, int offset, uint8_t *at)
{
    *p = (struct forward_place){forward_walks[s][l], 1u << s, 1u << l, NULL, NULL};
    p->store = at + IN_PAGE + in_line(p->store_bytes, p->load_bytes);
    p->load = p->store + offset;
    for (unsigned i = 0; i < FORWARD_BYTES; i++)
        at[i] = (uint8_t)(i * 7 + 5);
}

/* Computes what operations leave, on a copy of the memory around the store. */
static void expected(const struct forward_place *p, unsigned operations, uint8_t *around,
                     uint8_t value[FORWARD_MOST])
{
    uint8_t *store = around + FORWARD_MOST;

    first_value(value);
    memcpy(around, p->store - FORWARD_MOST, 3 * FORWARD_MOST);
    for (unsigned i = 0; i < operations; i++) {
        memcpy(store, value, p->store_bytes);
        memset(value, 0, FORWARD_MOST);
        memcpy(value, store + (p->load - p->store), p->load_bytes);
    }
}

/* Walks a little. Returns the operations that were done, 0 if memory or the last value is not what
 * these operations leave. */
static uint64_t forward_place_check(const struct forward_place *p)
{
    uint8_t want[FORWARD_MOST], around[3 * FORWARD_MOST], value[FORWARD_MOST];

    expected(p, CHECKED, around, want);
    first_value(value);
    (void)p->walk(p->store, p->load, CHECKED / FORWARD_UNROLL, value);
    return memcmp(value, want, p->load_bytes) == 0 &&
                   memcmp(p->store - FORWARD_MOST, around, sizeof around) == 0
               ? CHECKED
               : 0;
}

/* Returns the ticks of a number of operations, a multiple of FORWARD_UNROLL. */
static uint64_t forward_place_time(const struct forward_place *p, uint64_t operations)
{
    uint8_t value[FORWARD_MOST];

    first_value(value);
    return p->walk(p->store, p->load, operations / FORWARD_UNROLL, value);
}

/*
 * A map of store forwarding (suite `memory`): a core measures stores that a load follows, for every
 * size of both that the CPU has and for every offset at which they have bytes in common. Each cell
 * is measured at several places; the time of a store and its load is the median over these.
 */
#define VISITS     9    /* of each cell; the range of 9 contains the true median with 99.6% */
#define PLACES     16   /* pages */
#define OPERATIONS 1024 /* of the shorter walk of a pair; the longer one has twice as many */

/* A map that is being measured, in the engine's memory. */
struct mapping {
    struct forward_map map;
    struct engine *e;
    struct platform_area area;
    unsigned visits, taken; /* of a cell; of all cells: */
    unsigned shared;
    uint64_t seed;
    /* Of the current pair of sizes. */
    float ticks[FORWARD_CELLS][VISITS], cycles[FORWARD_CELLS][VISITS];
};

_Static_assert(sizeof(struct mapping) <= INTERLEAVE_NEED * sizeof(uint64_t),
               "a map does not fit an engine's memory");

/* A visit of a cell. */
struct cell_visit {
    struct engine *e;
    unsigned s, l;
    int offset;
    uint8_t *at;
    uint64_t checked;
    struct pairs_figure exclusive, all;
};

static bool walk_pair(void *ctx, unsigned i, struct pair_ticks *t)
{
    const struct forward_place *p = ctx;

    (void)i;
    t->once = forward_place_time(p, OPERATIONS);
    t->twice = forward_place_time(p, 2 * OPERATIONS);
    t->operations = OPERATIONS;
    return true;
}

static void visit_here(void *ctx)
{
    struct cell_visit *v = ctx;
    struct forward_place p;

    forward_place_build(&p, v->s, v->l, v->offset, v->at);
    v->checked = forward_place_check(&p);
    if (v->checked)
        (void)pairs_take(v->e, 1, walk_pair, &p, &v->exclusive, &v->all);
}

/* Takes a visit of each cell of a pair of sizes. False: the row has ended. */
static bool visit(struct mapping *w, struct cell_visit *v)
{
    v->at = w->area.at + w->seed++ % (w->area.bytes / FORWARD_BYTES) * FORWARD_BYTES;
    if (!poll_go_on(w->e) || !guard_run(w->e, &w->map.out, visit_here, v))
        return false;
    w->map.checked += v->checked;
    if (!v->checked)
        outcome_fail(&w->map.out, ROW_WRONG,
                     "a load did not read the stored bytes and those around them");
    w->taken++;
    w->shared += v->exclusive.pairs == 0;
    return v->checked > 0;
}

/* Measures a cell's visits; figures go to ticks[] and cycles[]. */
static bool visits_of(struct mapping *w, unsigned s, unsigned l, int offset, float *ticks,
                      float *cycles)
{
    for (unsigned i = 0; i < w->visits; i++) {
        struct cell_visit v = {.e = w->e, .s = s, .l = l, .offset = offset};
        if (!visit(w, &v))
            return false;
        ticks[i] = v.exclusive.pairs ? v.exclusive.ticks : v.all.ticks;
        cycles[i] = v.exclusive.pairs ? v.exclusive.cycles : v.all.cycles;
    }
    return true;
}

/* Returns the median, and the range in *lo and *hi. */
static float middle(const float *figure, unsigned n, float *lo, float *hi)
{
    double sorted[VISITS];
    size_t known = 0;

    for (unsigned i = 0; i < n; i++)
        if (is_known(figure[i]))
            sorted[known++] = figure[i];
    *lo = *hi = (float)UNKNOWN;
    if (known == 0)
        return (float)UNKNOWN;
    double m = median(sorted, known); /* sorts */
    *lo = (float)sorted[0];
    *hi = (float)sorted[known - 1];
    return (float)m;
}

static void conclude_pair(struct mapping *w, unsigned s, unsigned l, double waits)
{
    unsigned first = forward_first(w->map.sizes, s, l), cells = forward_cells(1u << s, 1u << l);
    bool cycles = run_has_cycles(&w->e->facts);
    double time[FORWARD_CELLS];

    for (unsigned i = 0; i < cells; i++) {
        struct forward_cell *c = &w->map.cell[first + i];
        c->ticks = middle(w->ticks[i], w->visits, &c->lo, &c->hi);
        c->cycles = c->lo = c->hi = (float)UNKNOWN;
        if (cycles)
            c->cycles = middle(w->cycles[i], w->visits, &c->lo, &c->hi);
        /* Counted instructions and an emulator's times say nothing of a store buffer. */
        time[i] = w->e->facts.execution != EXEC_SILICON ? UNKNOWN : cycles ? c->cycles : c->ticks;
    }
    forward_judge(1u << s, 1u << l, time, waits, w->map.how + first);
}

/* Measures the load that a load of one byte is compared with: of two bytes, the second of which is
 * the store's first. */
static bool measure_waiting(struct mapping *w, unsigned s, double *waits)
{
    float lo, hi;

    if (!visits_of(w, s, 1, -1, w->ticks[0], w->cycles[0]))
        return false;
    *waits = middle(run_has_cycles(&w->e->facts) ? w->cycles[0] : w->ticks[0], w->visits, &lo, &hi);
    return true;
}

static bool measure_pair(struct mapping *w, unsigned s, unsigned l)
{
    unsigned cells = forward_cells(1u << s, 1u << l);
    double waits = UNKNOWN;

    if (l == 0 && !measure_waiting(w, s, &waits))
        return false;
    for (unsigned i = 0; i < cells; i++)
        if (!visits_of(w, s, l, forward_offset(1u << l, i), w->ticks[i], w->cycles[i]))
            return false;
    conclude_pair(w, s, l, waits);
    return true;
}

static void measure_map(struct mapping *w)
{
    unsigned sizes = w->map.sizes;

    for (unsigned i = 0; i < sizes * sizes; i++) {
        if (!measure_pair(w, i / sizes, i % sizes))
            return;
        poll_show(w->e, (double)(i + 1) / (sizes * sizes));
    }
    w->map.visits = w->visits;
    w->map.shared = 2 * w->shared > w->taken;
}

static void measure(struct mapping *w)
{
    const struct platform *p = w->e->p;
    const struct platform_wish wish = {.page = BENCH_4K, .bytes = PLACES * FORWARD_BYTES};
    const char *why = needs_lacks(p, bench_curve(w->map.out.bench));

    outcome_fail(&w->map.out, ROW_UNSUPPORTED, why);
    if (why)
        return;
    why = "this platform has no large area of memory";
    if (!p->areas.map || !p->areas.map(p, &wish, &w->area, &why)) {
        outcome_fail(&w->map.out, ROW_UNSUPPORTED, why);
        return;
    }
    w->map.sizes = needs_sizes(p);
    measure_map(w);
    p->areas.free(p, &w->area);
}

static void measure_here(struct engine *e, void *memory)
{
    struct mapping *w = memory;

    w->e = e;
    w->visits = e->facts.execution == EXEC_SILICON ? VISITS : 1;
    w->seed = e->facts.o->seed;
    measure(w);
}

static const struct outcome *measure_row(struct plan *plan, const struct bench *b, unsigned k)
{
    const struct one_core s = {measure_here, sizeof(struct mapping)};
    const struct mapping *w = one_core_measure(plan, b, k, &s);

    return w ? &w->map.out : NULL;
}

const struct kind kind_forward = {.name = "forward",
                                  .timed = true,
                                  .needs_area = true,
                                  .options = OPTIONS_CURVES,
                                  .heading = " of a store and a load that follows it",
                                  .no_body = "it maps store forwarding",
                                  .ms = bench_curve_ms,
                                  .measure = measure_row};
