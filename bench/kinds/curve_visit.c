#include "bench/kinds/curve_visit.h"
#include "bench/api/vectors.h"
#include "bench/kinds/chase.h"
#include "bench/kinds/stream.h"
#include "lib/cpu/caches.h"

/* Pages of the smallest size: TLBs for large pages have few entries. */
#define FIRST_PAGES       16
#define FIRST_LARGE_PAGES 4
#define NO_TLB            1024u /* entries of the largest TLB if CPUID lists none */

static enum bench_load load_of(const struct series *c)
{
    return bench_curve(c->out.bench)->load;
}

unsigned needs_sizes(const struct platform *p)
{
    unsigned bits = vectors_bits(p);

    return 5 + (bits >= 256) + (bits >= 512);
}

static bool needs_avx(enum bench_load load)
{
    return load == BENCH_READ_32 || load == BENCH_WRITE_32 || load == BENCH_COPY_32;
}

const char *needs_lacks(const struct platform *p, const struct bench_curve *kind)
{
    if (cpu_default_recipe(p->cpu) != RECIPE_LFENCE)
        return "this CPU's vendor does not document that LFENCE waits for loads";
    if (bench_is_flush(kind->load))
        return flush_lacks(p, kind->load);
    return needs_avx(kind->load) && vectors_bits(p) < 256 ? "needs AVX (CPUID leaf 1 ECX[28], XCR0)"
                                                          : NULL;
}

uint64_t needs_page(const struct series *c)
{
    uint64_t page = bench_curve(c->out.bench)->page;

    return page ? page : BENCH_4K;
}

/* Returns whether a TLB translates what the row accesses. */
static bool is_used(const struct series *c, const struct tlb *tlb)
{
    bool code = load_of(c) == BENCH_CODE;
    uint32_t pages = needs_page(c) == BENCH_4K   ? TLB_4K
                     : needs_page(c) == BENCH_2M ? TLB_2M
                                                 : TLB_1G;

    if (!(tlb->pages & pages))
        return false;
    if (tlb->type == TLB_UNIFIED)
        return true;
    return code ? tlb->type == TLB_INSTRUCTION : tlb->type == TLB_DATA || tlb->type == TLB_LOAD;
}

/* Takes the TLBs for these pages as caches of what they reach. */
static void take_tlbs(struct series *c, const struct platform *p)
{
    struct tlb tlb[TLBS_MAX];
    unsigned n = tlbs_decode(tlb, p->cpu, p->cpuid, NULL);

    for (unsigned i = 0; i < n && c->caches < CACHES_MAX; i++)
        if (is_used(c, &tlb[i]))
            c->cache[c->caches++] = (struct cache){.level = tlb[i].level,
                                                   .type = CACHE_UNIFIED,
                                                   .size = tlb[i].entries * needs_page(c)};
}

/* Returns the bytes up to which sizes are wanted. */
static uint64_t most_of_sizes(const struct series *c)
{
    uint64_t largest = caches_largest(c->cache, c->caches);

    if (!bench_is_pages(load_of(c)))
        return sizes_wanted(largest);
    uint64_t wanted = sizes_wanted(largest ? largest : NO_TLB * needs_page(c));
    return load_of(c) == BENCH_CODE && wanted > JUMPS_REACH ? JUMPS_REACH : wanted;
}

/* Returns the bytes that the state with most of them needs. */
static uint64_t most_of_states(const struct series *c)
{
    uint64_t most = FLUSH_BYTES, evict;

    for (enum line_state s = 0; s < LINE_STATES_ALONE; s++)
        if (line_state_evicts(s, c->cache, c->caches, &evict) && FLUSH_BYTES + evict > most)
            most = FLUSH_BYTES + evict;
    return most;
}

void needs_find(struct series *c, const struct platform *p)
{
    enum bench_by by = bench_by(bench_curve(c->out.bench));

    if (bench_is_pages(load_of(c)))
        take_tlbs(c, p);
    else if (by != BENCH_BY_OFFSET)
        c->caches = caches_decode(c->cache, p->cpu, p->cpuid, NULL);
    c->wanted = by == BENCH_BY_OFFSET  ? NEAR_BYTES
                : by == BENCH_BY_STATE ? most_of_states(c)
                : by == BENCH_BY_NODE  ? most_of_sizes(c) / 2 /* no cache has it */
                                       : most_of_sizes(c);
}

uint64_t needs_most_pages(const struct platform_area *area)
{
    uint64_t most = area->bytes / area->page;

    if (area->same && most > area->page / CHASE_LINE)
        most = area->page / CHASE_LINE;
    return (most < NEEDS_PAGES_MOST ? most : NEEDS_PAGES_MOST) * area->page;
}

bool needs_is_representative(const struct series *c, uint64_t size, uint64_t next)
{
    if (bench_by(bench_curve(c->out.bench)) != BENCH_BY_SIZE || bench_is_pages(load_of(c)))
        return false;
    for (unsigned i = 0; i < c->caches && next > 0 && bench_is_chase(load_of(c)); i++) {
        uint64_t at = sizes_of_cache(c->cache, c->caches, c->cache[i].level);
        if (size <= at && at < next)
            return true;
    }
    return next == 0;
}

uint64_t needs_bytes(const struct series *c, uint64_t point, uint64_t *evict)
{
    *evict = 0;
    switch (bench_by(bench_curve(c->out.bench))) {
    case BENCH_BY_OFFSET:
        return NEAR_BYTES;
    case BENCH_BY_STATE:
        (void)line_state_evicts((enum line_state)point, c->cache, c->caches, evict);
        return FLUSH_BYTES + *evict;
    case BENCH_BY_SIZE:
    case BENCH_BY_CORES: /* not here: shared_curve.c */
    case BENCH_BY_RATE:
    case BENCH_BY_NODE: /* curve_kind.c */
        break;
    }
    return point;
}

/* Writes the states whose caches CPUID lists. */
static size_t write_states(const struct series *c, uint64_t bytes, uint64_t point[SIZES_MOST])
{
    uint64_t evict;
    size_t n = 0;

    for (enum line_state s = 0; s < LINE_STATES_ALONE; s++)
        if (line_state_evicts(s, c->cache, c->caches, &evict) && FLUSH_BYTES + evict <= bytes)
            point[n++] = s;
    return n;
}

static size_t write_offsets(const struct bench_curve *kind, uint64_t bytes,
                            uint64_t point[SIZES_MOST])
{
    for (uint32_t i = 0; i < kind->offsets; i++)
        point[i] = (uint64_t)kind->offset[i];
    return bytes >= NEAR_BYTES ? kind->offsets : 0;
}

size_t needs_points(const struct series *c, uint64_t bytes, uint64_t point[SIZES_MOST])
{
    const struct bench_curve *kind = bench_curve(c->out.bench);
    uint64_t first = SIZES_FIRST, page = needs_page(c);

    if (bench_is_pages(kind->load))
        first = page * (page > BENCH_4K ? FIRST_LARGE_PAGES : FIRST_PAGES);

    switch (bench_by(kind)) {
    case BENCH_BY_OFFSET:
        return write_offsets(kind, bytes, point);
    case BENCH_BY_STATE:
        return write_states(c, bytes, point);
    case BENCH_BY_SIZE:
    case BENCH_BY_CORES: /* not here: shared_curve.c */
    case BENCH_BY_RATE:
    case BENCH_BY_NODE: /* curve_kind.c */
        break;
    }
    return sizes_grid(first, bytes < c->wanted ? bytes : c->wanted, bench_is_chase(kind->load),
                      point);
}

_Static_assert(PAIRS_MOST <= CHASE_WALKS, "a chase has fewer walks than pairs are taken");

#define NEAR_STEPS 2048 /* operations of a walk at one offset */

/* The structure that is walked: one of these. */
struct load {
    const struct bench_curve *kind;
    struct chase chase;
    struct flush flush;
    struct jumps jumps;
    struct stream stream;
    struct near_place near;
};

static bool time_jumps(const struct jumps *j, struct pair_ticks *t)
{
    struct jumps_ticks taken;
    bool right = jumps_time(j, &taken);

    *t = (struct pair_ticks){taken.once, taken.twice, taken.jumps};
    return right;
}

/* A pair_walks of a load. */
static bool time_walks(void *ctx, unsigned i, struct pair_ticks *t)
{
    const struct load *l = ctx;

    if (bench_is_near(l->kind->load)) {
        t->once = near_time(&l->near, NEAR_STEPS);
        t->twice = near_time(&l->near, 2 * NEAR_STEPS);
        t->operations = NEAR_STEPS;
        return true;
    }
    if (bench_is_flush(l->kind->load)) {
        t->once = flush_time(&l->flush, FLUSH_LINES);
        t->twice = flush_time(&l->flush, 2 * FLUSH_LINES);
        t->operations = FLUSH_LINES;
        return true;
    }
    if (!bench_is_chase(l->kind->load)) {
        struct stream_ticks s = stream_time(&l->stream, i);
        *t = (struct pair_ticks){s.once, s.twice, s.lines};
        return true;
    }
    if (l->kind->load == BENCH_CODE)
        return time_jumps(&l->jumps, t);
    struct chase_walks w = chase_walks(&l->chase, i);
    struct chase_ticks taken;
    chase_warm(&l->chase); /* or the first walk alone would miss what others have evicted */
    bool right = chase_time(&l->chase, &w, &taken);
    *t = (struct pair_ticks){taken.once, taken.twice, w.steps};
    return right;
}

static void prepare_chase(const struct visit_set *set, struct chase *c, struct visit *v)
{
    chase_build(c, set->at, set->bytes, set->map, set->kind, set->seed);
    v->elements = chase_check(c);
    if (v->elements < c->n)
        v->wrong = "the chase did not visit every element once";
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

static void prepare_flush(const struct visit_set *set, struct flush *f, struct visit *v)
{
    flush_build(f, set->kind, (enum line_state)set->bytes, set->at, set->evict);
    v->elements = flush_check(f);
    if (v->elements < 2 * FLUSH_LINES)
        v->wrong = "a flushed line does not have what was written";
}

/* Writes the code and makes it executable. */
static void prepare_jumps(const struct platform *p, const struct visit_set *set, struct jumps *j,
                          struct visit *v)
{
    if (!p->areas.execute(p, set->area, false, &v->lacks))
        return;
    jumps_build(j, set->at, set->area->code + (set->at - set->area->at), set->bytes,
                set->area->page, set->seed);
    if (!p->areas.execute(p, set->area, true, &v->lacks))
        return;
    v->lacks = NULL;
    v->elements = jumps_check(j);
    if (v->elements < j->n)
        v->wrong = "the jumps did not visit every element once";
}

void visit_take(struct engine *e, const struct visit_set *set, unsigned pairs, struct visit *v)
{
    struct load l = {.kind = set->kind};

    *v = (struct visit){0};
    if (set->kind->load == BENCH_CODE)
        prepare_jumps(e->p, set, &l.jumps, v);
    else if (bench_is_chase(set->kind->load))
        prepare_chase(set, &l.chase, v);
    else if (bench_is_near(set->kind->load))
        prepare_near(set, &l.near, v);
    else if (bench_is_flush(set->kind->load))
        prepare_flush(set, &l.flush, v);
    else
        prepare_stream(set, &l.stream, v);
    if (!v->wrong && !v->lacks && !pairs_take(e, pairs, time_walks, &l, &v->exclusive, &v->all))
        v->wrong = "a timed walk did not end at the element where the order has its end";
}
