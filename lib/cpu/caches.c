#include "lib/cpu/caches.h"

#include "lib/cpu/descriptors.h"
#include "lib/cpu/topology.h"

const char *const cache_type_names[CACHE_TYPES] = {"data", "instruction", "unified"};

struct list {
    struct cache *at;
    unsigned n;
};

static void add(struct list *l, struct cache cache)
{
    if (l->n < CACHES_MAX && cache.size > 0)
        l->at[l->n++] = cache;
}

/* Leaf 4 and 8000_001D have the same form: a subleaf per cache; type 0 (EAX[4:0]) ends the list. */
static void deterministic(struct list *l, uint32_t leaf, cpuid_fn cpuid, void *ctx)
{
    for (uint32_t i = 0; i < CACHES_MAX; i++) {
        struct cpuid_regs r = cpuid(ctx, leaf, i);
        uint32_t type = r.eax & 0x1f;
        if (type == 0 || type > CACHE_TYPES)
            break;
        uint32_t ways = (r.ebx >> 22) + 1, partitions = (r.ebx >> 12 & 0x3ff) + 1;
        uint32_t line = (r.ebx & 0xfff) + 1;
        uint64_t lines_a_set = (uint64_t)ways * partitions;
        add(l, (struct cache){
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

uint32_t caches_amd_ways(uint32_t code)
{
    static const uint32_t ways[16] = {0, 1, 2, 3, 4, 6, 8, 0, 16, 0, 32, 48, 64, 96, 128, 0};

    return ways[code & 0xf];
}

static void amd_l1(struct list *l, uint32_t r, enum cache_type type)
{
    uint32_t ways = r >> 16 & 0xff;

    add(l, (struct cache){
               .level = 1,
               .type = type,
               .size = (uint64_t)(r >> 24) << 10,
               .line = r & 0xff,
               .ways = ways == 0xff ? 0 : ways,
               .shared_known = true, /* these CPUs have a thread per core, and an L1 and L2 each */
           });
}

static void amd_lower(struct list *l, uint32_t r, unsigned level, uint64_t size)
{
    uint32_t code = r >> 12 & 0xf;

    if (code != 0) /* disabled, or not present */
        add(l, (struct cache){
                   .level = level,
                   .type = CACHE_UNIFIED,
                   .size = size,
                   .line = r & 0xff,
                   .ways = caches_amd_ways(code),
                   .shared_known = level == 2,
               });
}

static void amd_legacy(struct list *l, const struct cpu *c, cpuid_fn cpuid, void *ctx)
{
    const uint32_t base = 0x80000000;

    if (c->max_ext_leaf >= base + 5) {
        struct cpuid_regs r = cpuid(ctx, base + 5, 0);
        amd_l1(l, r.ecx, CACHE_DATA);
        amd_l1(l, r.edx, CACHE_INSTRUCTION);
    }
    if (c->max_ext_leaf >= base + 6) {
        struct cpuid_regs r = cpuid(ctx, base + 6, 0);
        amd_lower(l, r.ecx, 2, (uint64_t)(r.ecx >> 16) << 10);
        if (c->vendor == VENDOR_AMD) /* EDX[31:18] counts 512 KiB */
            amd_lower(l, r.edx, 3, (uint64_t)(r.edx >> 18) << 19);
    }
}

static bool has(const struct list *l, unsigned level)
{
    for (unsigned i = 0; i < l->n; i++)
        if (l->at[i].level == level)
            return true;
    return false;
}

/* Adds the levels that leaf 4 lacks: all of them on CPUs older than the leaf. */
static void from_descriptors(struct list *l, const struct cpu *c, cpuid_fn cpuid, void *ctx)
{
    uint8_t bytes[DESCRIPTORS_MAX];
    const struct list before = *l;
    unsigned n = descriptors_read(bytes, c, cpuid, ctx);

    for (unsigned i = 0; i < n; i++) {
        struct cache cache;
        if (descriptor_cache(&cache, bytes[i], c) && !has(&before, cache.level))
            add(l, cache);
    }
}

unsigned caches_decode(struct cache out[CACHES_MAX], const struct cpu *c, cpuid_fn cpuid, void *ctx)
{
    struct list l = {out, 0};

    if (cpu_is_amd(c)) {
        if (c->max_ext_leaf >= 0x8000001d)
            deterministic(&l, 0x8000001d, cpuid, ctx);
    } else if (c->max_leaf >= 4) {
        deterministic(&l, 4, cpuid, ctx);
    }
    if (c->vendor == VENDOR_INTEL && c->max_leaf >= 2)
        from_descriptors(&l, c, cpuid, ctx);
    else if (l.n == 0)
        amd_legacy(&l, c, cpuid, ctx);
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
