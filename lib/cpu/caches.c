#include "lib/cpu/caches.h"

#include "lib/cpu/topology.h"

const char *const cache_type_names[CACHE_TYPES] = {"data", "instruction", "unified"};
const char *const tlb_type_names[TLB_TYPES] = {"data", "instruction", "unified", "load", "store"};

/* --- caches ----------------------------------------------------------------------------------- */

struct cache_list {
    struct cache *at;
    unsigned n;
};

static void add_cache(struct cache_list *l, struct cache cache)
{
    if (l->n < CACHES_MAX && cache.size > 0)
        l->at[l->n++] = cache;
}

/* Leaf 4 and 8000_001D have the same form: a subleaf per cache; type 0 (EAX[4:0]) ends the list. */
static void caches_by_leaf(struct cache_list *l, uint32_t leaf, cpuid_fn cpuid, void *ctx)
{
    for (uint32_t i = 0; i < CACHES_MAX; i++) {
        struct cpuid_regs r = cpuid(ctx, leaf, i);
        uint32_t type = r.eax & 0x1f;
        if (type == 0 || type > CACHE_TYPES)
            break;
        uint32_t ways = (r.ebx >> 22) + 1, partitions = (r.ebx >> 12 & 0x3ff) + 1;
        uint32_t line = (r.ebx & 0xfff) + 1;
        uint64_t lines_a_set = (uint64_t)ways * partitions;
        add_cache(l, (struct cache){
                         .level = r.eax >> 5 & 7,
                         .type = (enum cache_type)(type - 1),
                         .size = lines_a_set * line * ((uint64_t)r.ecx + 1),
                         .line = line,
                         .ways = r.eax >> 9 & 1 ? 0 : ways,
                         .shared_bits = topology_bits((r.eax >> 14 & 0xfff) + 1),
                         .shared_known = true,
                     });
    }
}

/* Returns the ways for a code of 8000_0006 or 8000_0019 (APM vol. 3 table E-4); 0: full. */
static uint32_t amd_ways(uint32_t code)
{
    static const uint32_t ways[16] = {0, 1, 2, 3, 4, 6, 8, 0, 16, 0, 32, 48, 64, 96, 128, 0};

    return ways[code & 0xf];
}

static void caches_amd_l1(struct cache_list *l, uint32_t r, enum cache_type type)
{
    uint32_t ways = r >> 16 & 0xff;

    add_cache(
        l, (struct cache){
               .level = 1,
               .type = type,
               .size = (uint64_t)(r >> 24) << 10,
               .line = r & 0xff,
               .ways = ways == 0xff ? 0 : ways,
               .shared_known = true, /* these CPUs have a thread per core, and an L1 and L2 each */
           });
}

static void caches_amd_lower(struct cache_list *l, uint32_t r, unsigned level, uint64_t size)
{
    uint32_t code = r >> 12 & 0xf;

    if (code != 0) /* disabled, or not present */
        add_cache(l, (struct cache){
                         .level = level,
                         .type = CACHE_UNIFIED,
                         .size = size,
                         .line = r & 0xff,
                         .ways = amd_ways(code),
                         .shared_known = level == 2,
                     });
}

static void caches_amd(struct cache_list *l, const struct cpu *c, cpuid_fn cpuid, void *ctx)
{
    const uint32_t base = 0x80000000;

    if (c->max_ext_leaf >= base + 5) {
        struct cpuid_regs r = cpuid(ctx, base + 5, 0);
        caches_amd_l1(l, r.ecx, CACHE_DATA);
        caches_amd_l1(l, r.edx, CACHE_INSTRUCTION);
    }
    if (c->max_ext_leaf >= base + 6) {
        struct cpuid_regs r = cpuid(ctx, base + 6, 0);
        caches_amd_lower(l, r.ecx, 2, (uint64_t)(r.ecx >> 16) << 10);
        if (c->vendor == VENDOR_AMD) /* EDX[31:18] counts 512 KiB */
            caches_amd_lower(l, r.edx, 3, (uint64_t)(r.edx >> 18) << 19);
    }
}

static bool has(const struct cache_list *l, unsigned level)
{
    for (unsigned i = 0; i < l->n; i++)
        if (l->at[i].level == level)
            return true;
    return false;
}

/* Adds the levels that leaf 4 lacks: all of them on CPUs older than the leaf. */
static void caches_by_descriptors(struct cache_list *l, const struct cpu *c, cpuid_fn cpuid,
                                  void *ctx)
{
    uint8_t bytes[DESCRIPTORS_MAX];
    const struct cache_list before = *l;
    unsigned n = descriptors_read(bytes, c, cpuid, ctx);

    for (unsigned i = 0; i < n; i++) {
        struct cache cache;
        if (descriptor_cache(&cache, bytes[i], c) && !has(&before, cache.level))
            add_cache(l, cache);
    }
}

unsigned caches_decode(struct cache out[CACHES_MAX], const struct cpu *c, cpuid_fn cpuid, void *ctx)
{
    struct cache_list l = {out, 0};

    if (cpu_is_amd(c)) {
        if (c->max_ext_leaf >= 0x8000001d)
            caches_by_leaf(&l, 0x8000001d, cpuid, ctx);
    } else if (c->max_leaf >= 4) {
        caches_by_leaf(&l, 4, cpuid, ctx);
    }
    if (c->vendor == VENDOR_INTEL && c->max_leaf >= 2)
        caches_by_descriptors(&l, c, cpuid, ctx);
    else if (l.n == 0)
        caches_amd(&l, c, cpuid, ctx);
    return l.n;
}

unsigned caches_domains(const struct cache *cache, unsigned n, unsigned cpus)
{
    uint64_t largest = caches_largest(cache, n);
    unsigned domains = 1;

    for (unsigned i = 0; i < n; i++)
        if (cache[i].size == largest && cache[i].type != CACHE_INSTRUCTION &&
            cache[i].shared_known && cache[i].shared_bits < 16)
            domains = (cpus + (1u << cache[i].shared_bits) - 1) >> cache[i].shared_bits;
    return domains ? domains : 1;
}

uint64_t caches_largest(const struct cache *cache, unsigned n)
{
    uint64_t largest = 0;

    for (unsigned i = 0; i < n; i++)
        if (cache[i].type != CACHE_INSTRUCTION && cache[i].size > largest)
            largest = cache[i].size;
    return largest;
}

/* --- TLBs ------------------------------------------------------------------------------------- */

struct tlb_list {
    struct tlb *at;
    unsigned n;
};

static void add_tlb(struct tlb_list *l, struct tlb tlb)
{
    if (l->n < TLBS_MAX && tlb.entries > 0)
        l->at[l->n++] = tlb;
}

/* Leaf 18h: subleaf 0 EAX is the last subleaf; EDX[4:0] is a type, 0 for an unused subleaf. */
static void tlbs_by_leaf(struct tlb_list *l, cpuid_fn cpuid, void *ctx)
{
    static const enum tlb_type types[] = {
        [1] = TLB_DATA, [2] = TLB_INSTRUCTION, [3] = TLB_UNIFIED, [4] = TLB_LOAD, [5] = TLB_STORE};
    uint32_t last = cpuid(ctx, 0x18, 0).eax;

    for (uint32_t i = 0; i <= last && i < TLBS_MAX; i++) {
        struct cpuid_regs r = cpuid(ctx, 0x18, i);
        uint32_t type = r.edx & 0x1f, ways = r.ebx >> 16;
        if (type == 0 || type >= sizeof types / sizeof types[0])
            continue;
        uint64_t entries = (uint64_t)ways * r.ecx;
        add_tlb(l, (struct tlb){
                       .level = r.edx >> 5 & 7,
                       .type = types[type],
                       .pages = r.ebx & 0xf, /* bit by bit TLB_4K, 2M, 4M, 1G */
                       .ways = r.edx >> 8 & 1 ? 0 : ways,
                       .entries = entries > UINT32_MAX ? 0 : (uint32_t)entries,
                   });
    }
}

static void tlbs_by_descriptors(struct tlb_list *l, const struct cpu *c, cpuid_fn cpuid, void *ctx)
{
    uint8_t bytes[DESCRIPTORS_MAX];
    unsigned n = descriptors_read(bytes, c, cpuid, ctx);

    for (unsigned i = 0; i < n; i++) {
        struct tlb two[2];
        unsigned found = descriptor_tlbs(two, bytes[i]);
        for (unsigned k = 0; k < found; k++)
            add_tlb(l, two[k]);
    }
}

/* 8000_0005 EAX, EBX: a byte of ways (FFh: full) above a byte of entries, data above
 * instruction. */
static void tlbs_amd_l1(struct tlb_list *l, uint32_t r, uint32_t pages)
{
    for (unsigned half = 0; half < 2; half++) {
        uint32_t v = half == 0 ? r >> 16 : r & 0xffff, ways = v >> 8;
        add_tlb(l, (struct tlb){
                       .level = 1,
                       .type = half == 0 ? TLB_DATA : TLB_INSTRUCTION,
                       .pages = pages,
                       .ways = ways == 0xff ? 0 : ways,
                       .entries = v & 0xff,
                   });
    }
}

/* 8000_0006, 8000_0019: four bits of ways above twelve of entries, in units of `unit`. If the data
 * half is 0 and the instruction half is not, the TLB is unified. */
static void tlbs_amd_lower(struct tlb_list *l, uint32_t r, unsigned level, uint32_t pages,
                           uint32_t unit)
{
    bool unified = r >> 16 == 0;

    for (unsigned half = 0; half < 2; half++) {
        uint32_t v = half == 0 ? r >> 16 : r & 0xffff;
        if (v >> 12 == 0) /* disabled */
            continue;
        add_tlb(l, (struct tlb){
                       .level = level,
                       .type = half == 0 ? TLB_DATA
                               : unified ? TLB_UNIFIED
                                         : TLB_INSTRUCTION,
                       .pages = pages,
                       .ways = amd_ways(v >> 12),
                       .entries = (v & 0xfff) * unit,
                   });
    }
}

/* Unit of the entries of second-level TLBs: 8000_0021 EAX[14], L2TlbSizeX32 (AMD APM vol. 3,
 * appendix E). KVM does not pass it on; the numbers are then too small. */
static uint32_t tlbs_amd_unit(const struct cpu *c, cpuid_fn cpuid, void *ctx)
{
    const uint32_t leaf = 0x80000021;

    if (c->vendor != VENDOR_AMD || c->max_ext_leaf < leaf)
        return 1;
    return cpuid(ctx, leaf, 0).eax & 1u << 14 ? 32 : 1;
}

static void tlbs_amd(struct tlb_list *l, const struct cpu *c, cpuid_fn cpuid, void *ctx)
{
    const uint32_t base = 0x80000000, unit = tlbs_amd_unit(c, cpuid, ctx);

    if (c->max_ext_leaf >= base + 5) {
        struct cpuid_regs r = cpuid(ctx, base + 5, 0);
        tlbs_amd_l1(l, r.ebx, TLB_4K);
        tlbs_amd_l1(l, r.eax, TLB_2M); /* a page of 4 MiB takes two entries */
    }
    if (c->max_ext_leaf >= base + 6 && c->vendor != VENDOR_ZHAOXIN) {
        struct cpuid_regs r = cpuid(ctx, base + 6, 0);
        tlbs_amd_lower(l, r.ebx, 2, TLB_4K, unit);
        tlbs_amd_lower(l, r.eax, 2, TLB_2M, unit);
    }
    if (c->max_ext_leaf >= base + 0x19 && c->vendor != VENDOR_ZHAOXIN) {
        struct cpuid_regs r = cpuid(ctx, base + 0x19, 0);
        tlbs_amd_lower(l, r.eax, 1, TLB_1G, 1);
        tlbs_amd_lower(l, r.ebx, 2, TLB_1G, unit);
    }
}

unsigned tlbs_decode(struct tlb out[TLBS_MAX], const struct cpu *c, cpuid_fn cpuid, void *ctx)
{
    struct tlb_list l = {out, 0};

    if (c->vendor != VENDOR_INTEL) {
        tlbs_amd(&l, c, cpuid, ctx);
        return l.n;
    }
    if (c->max_leaf >= 0x18)
        tlbs_by_leaf(&l, cpuid, ctx);
    if (l.n == 0)
        tlbs_by_descriptors(&l, c, cpuid, ctx);
    return l.n;
}
