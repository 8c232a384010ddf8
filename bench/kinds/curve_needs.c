#include "bench/kinds/curve_needs.h"
#include "bench/api/vectors.h"
#include "bench/kinds/chase.h"
#include "bench/kinds/flush.h"
#include "bench/kinds/jumps.h"
#include "bench/kinds/near.h"
#include "lib/cpu/caches.h"

/* Pages of the smallest size: TLBs for large pages have few entries. */
#define FIRST_PAGES       16
#define FIRST_LARGE_PAGES 4
#define NO_TLB            1024u /* entries of the largest TLB if CPUID lists none */

static enum bench_load load_of(const struct curve *c)
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

uint64_t needs_page(const struct curve *c)
{
    uint64_t page = bench_curve(c->out.bench)->page;

    return page ? page : BENCH_4K;
}

/* Returns whether a TLB translates what the row accesses. */
static bool is_used(const struct curve *c, const struct tlb *tlb)
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
static void take_tlbs(struct curve *c, const struct platform *p)
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
static uint64_t most_of_sizes(const struct curve *c)
{
    uint64_t largest = caches_largest(c->cache, c->caches);

    if (!bench_is_pages(load_of(c)))
        return sizes_wanted(largest);
    uint64_t wanted = sizes_wanted(largest ? largest : NO_TLB * needs_page(c));
    return load_of(c) == BENCH_CODE && wanted > JUMPS_REACH ? JUMPS_REACH : wanted;
}

/* Returns the bytes that the state with most of them needs. */
static uint64_t most_of_states(const struct curve *c)
{
    uint64_t most = FLUSH_BYTES, evict;

    for (enum line_state s = 0; s < LINE_STATES_ALONE; s++)
        if (line_state_evicts(s, c->cache, c->caches, &evict) && FLUSH_BYTES + evict > most)
            most = FLUSH_BYTES + evict;
    return most;
}

void needs_find(struct curve *c, const struct platform *p)
{
    enum bench_by by = bench_by(bench_curve(c->out.bench));

    if (bench_is_pages(load_of(c)))
        take_tlbs(c, p);
    else if (by != BENCH_BY_OFFSET)
        c->caches = caches_decode(c->cache, p->cpu, p->cpuid, NULL);
    c->wanted = by == BENCH_BY_OFFSET  ? NEAR_BYTES
                : by == BENCH_BY_STATE ? most_of_states(c)
                                       : most_of_sizes(c);
}

uint64_t needs_most_pages(const struct platform_area *area)
{
    uint64_t most = area->bytes / area->page;

    if (area->same && most > area->page / CHASE_LINE)
        most = area->page / CHASE_LINE;
    return (most < NEEDS_PAGES_MOST ? most : NEEDS_PAGES_MOST) * area->page;
}

bool needs_is_representative(const struct curve *c, uint64_t size, uint64_t next)
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

uint64_t needs_bytes(const struct curve *c, uint64_t point, uint64_t *evict)
{
    *evict = 0;
    switch (bench_by(bench_curve(c->out.bench))) {
    case BENCH_BY_OFFSET:
        return NEAR_BYTES;
    case BENCH_BY_STATE:
        (void)line_state_evicts((enum line_state)point, c->cache, c->caches, evict);
        return FLUSH_BYTES + *evict;
    case BENCH_BY_SIZE:
    case BENCH_BY_CORES: /* not here: together.h */
    case BENCH_BY_RATE:
        break;
    }
    return point;
}

/* Writes the states whose caches CPUID lists. */
static size_t write_states(const struct curve *c, uint64_t bytes, uint64_t point[SIZES_MOST])
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

size_t needs_points(const struct curve *c, uint64_t bytes, uint64_t point[SIZES_MOST])
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
    case BENCH_BY_CORES: /* not here: together.h */
    case BENCH_BY_RATE:
        break;
    }
    return sizes_grid(first, bytes < c->wanted ? bytes : c->wanted, bench_is_chase(kind->load),
                      point);
}
