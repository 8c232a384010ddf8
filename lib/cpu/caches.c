#include "lib/cpu/caches.h"

const char *const cache_type_names[CACHE_TYPES] = {"data", "instruction", "unified"};
const char *const tlb_type_names[TLB_TYPES] = {"data", "instruction", "unified", "load", "store"};

/* --- leaf 2 ----------------------------------------------------------------------------------- */

/* It has a cache or a TLB as one byte (SDM vol. 2A, table 3-12 "Encoding of CPUID Leaf 2
 * Descriptors"). */
#define DESCRIPTORS_MAX 15 /* three in EAX, whose lowest byte is a count, four in the others */

/* Ways 0: fully associative. */
static const struct {
    uint8_t byte;
    unsigned level;
    enum cache_type type;
    uint32_t ways, line, kib;
} cache_descriptors[] = {
    {0x06, 1, CACHE_INSTRUCTION, 4, 32, 8},  {0x08, 1, CACHE_INSTRUCTION, 4, 32, 16},
    {0x09, 1, CACHE_INSTRUCTION, 4, 64, 32}, {0x0a, 1, CACHE_DATA, 2, 32, 8},
    {0x0c, 1, CACHE_DATA, 4, 32, 16},        {0x0d, 1, CACHE_DATA, 4, 64, 16},
    {0x0e, 1, CACHE_DATA, 6, 64, 24},        {0x1d, 2, CACHE_UNIFIED, 2, 64, 128},
    {0x21, 2, CACHE_UNIFIED, 8, 64, 256},    {0x22, 3, CACHE_UNIFIED, 4, 64, 512},
    {0x23, 3, CACHE_UNIFIED, 8, 64, 1024},   {0x24, 2, CACHE_UNIFIED, 16, 64, 1024},
    {0x25, 3, CACHE_UNIFIED, 8, 64, 2048},   {0x29, 3, CACHE_UNIFIED, 8, 64, 4096},
    {0x2c, 1, CACHE_DATA, 8, 64, 32},        {0x30, 1, CACHE_INSTRUCTION, 8, 64, 32},
    {0x41, 2, CACHE_UNIFIED, 4, 32, 128},    {0x42, 2, CACHE_UNIFIED, 4, 32, 256},
    {0x43, 2, CACHE_UNIFIED, 4, 32, 512},    {0x44, 2, CACHE_UNIFIED, 4, 32, 1024},
    {0x45, 2, CACHE_UNIFIED, 4, 32, 2048},   {0x46, 3, CACHE_UNIFIED, 4, 64, 4096},
    {0x47, 3, CACHE_UNIFIED, 8, 64, 8192},   {0x48, 2, CACHE_UNIFIED, 12, 64, 3072},
    {0x49, 2, CACHE_UNIFIED, 16, 64, 4096},  {0x4a, 3, CACHE_UNIFIED, 12, 64, 6144},
    {0x4b, 3, CACHE_UNIFIED, 16, 64, 8192},  {0x4c, 3, CACHE_UNIFIED, 12, 64, 12288},
    {0x4d, 3, CACHE_UNIFIED, 16, 64, 16384}, {0x4e, 2, CACHE_UNIFIED, 24, 64, 6144},
    {0x60, 1, CACHE_DATA, 8, 64, 16},        {0x66, 1, CACHE_DATA, 4, 64, 8},
    {0x67, 1, CACHE_DATA, 4, 64, 16},        {0x68, 1, CACHE_DATA, 4, 64, 32},
    {0x78, 2, CACHE_UNIFIED, 4, 64, 1024},   {0x79, 2, CACHE_UNIFIED, 8, 64, 128},
    {0x7a, 2, CACHE_UNIFIED, 8, 64, 256},    {0x7b, 2, CACHE_UNIFIED, 8, 64, 512},
    {0x7c, 2, CACHE_UNIFIED, 8, 64, 1024},   {0x7d, 2, CACHE_UNIFIED, 8, 64, 2048},
    {0x7f, 2, CACHE_UNIFIED, 2, 64, 512},    {0x80, 2, CACHE_UNIFIED, 8, 64, 512},
    {0x82, 2, CACHE_UNIFIED, 8, 32, 256},    {0x83, 2, CACHE_UNIFIED, 8, 32, 512},
    {0x84, 2, CACHE_UNIFIED, 8, 32, 1024},   {0x85, 2, CACHE_UNIFIED, 8, 32, 2048},
    {0x86, 2, CACHE_UNIFIED, 4, 64, 512},    {0x87, 2, CACHE_UNIFIED, 8, 64, 1024},
    {0xd0, 3, CACHE_UNIFIED, 4, 64, 512},    {0xd1, 3, CACHE_UNIFIED, 4, 64, 1024},
    {0xd2, 3, CACHE_UNIFIED, 4, 64, 2048},   {0xd6, 3, CACHE_UNIFIED, 8, 64, 1024},
    {0xd7, 3, CACHE_UNIFIED, 8, 64, 2048},   {0xd8, 3, CACHE_UNIFIED, 8, 64, 4096},
    {0xdc, 3, CACHE_UNIFIED, 12, 64, 1536},  {0xdd, 3, CACHE_UNIFIED, 12, 64, 3072},
    {0xde, 3, CACHE_UNIFIED, 12, 64, 6144},  {0xe2, 3, CACHE_UNIFIED, 16, 64, 2048},
    {0xe3, 3, CACHE_UNIFIED, 16, 64, 4096},  {0xe4, 3, CACHE_UNIFIED, 16, 64, 8192},
    {0xea, 3, CACHE_UNIFIED, 24, 64, 12288}, {0xeb, 3, CACHE_UNIFIED, 24, 64, 18432},
    {0xec, 3, CACHE_UNIFIED, 24, 64, 24576},
};

/* Two lines if a byte means two TLBs. */
static const struct {
    uint8_t byte;
    unsigned level;
    enum tlb_type type;
    uint32_t pages, ways, entries;
} tlb_descriptors[] = {
    {0x01, 1, TLB_INSTRUCTION, TLB_4K, 4, 32},
    {0x02, 1, TLB_INSTRUCTION, TLB_4M, 0, 2},
    {0x03, 1, TLB_DATA, TLB_4K, 4, 64},
    {0x04, 1, TLB_DATA, TLB_4M, 4, 8},
    {0x05, 1, TLB_DATA, TLB_4M, 4, 32},
    {0x0b, 1, TLB_INSTRUCTION, TLB_4M, 4, 4},
    {0x4f, 1, TLB_INSTRUCTION, TLB_4K, 0, 32},
    {0x50, 1, TLB_INSTRUCTION, TLB_4K | TLB_2M | TLB_4M, 0, 64},
    {0x51, 1, TLB_INSTRUCTION, TLB_4K | TLB_2M | TLB_4M, 0, 128},
    {0x52, 1, TLB_INSTRUCTION, TLB_4K | TLB_2M | TLB_4M, 0, 256},
    {0x55, 1, TLB_INSTRUCTION, TLB_2M | TLB_4M, 0, 7},
    {0x56, 1, TLB_DATA, TLB_4M, 4, 16},
    {0x57, 1, TLB_DATA, TLB_4K, 4, 16},
    {0x59, 1, TLB_DATA, TLB_4K, 0, 16},
    {0x5a, 1, TLB_DATA, TLB_2M | TLB_4M, 4, 32},
    {0x5b, 1, TLB_DATA, TLB_4K | TLB_4M, 0, 64},
    {0x5c, 1, TLB_DATA, TLB_4K | TLB_4M, 0, 128},
    {0x5d, 1, TLB_DATA, TLB_4K | TLB_4M, 0, 256},
    {0x61, 1, TLB_INSTRUCTION, TLB_4K, 0, 48},
    {0x63, 1, TLB_DATA, TLB_2M | TLB_4M, 4, 32},
    {0x63, 1, TLB_DATA, TLB_1G, 4, 4},
    {0x64, 1, TLB_DATA, TLB_4K, 4, 512},
    {0x6a, 1, TLB_DATA, TLB_4K, 8, 64},
    {0x6b, 1, TLB_DATA, TLB_4K, 8, 256},
    {0x6c, 1, TLB_DATA, TLB_2M | TLB_4M, 8, 128},
    {0x6d, 1, TLB_DATA, TLB_1G, 0, 16},
    {0x76, 1, TLB_INSTRUCTION, TLB_2M | TLB_4M, 0, 8},
    {0xa0, 1, TLB_DATA, TLB_4K, 0, 32},
    {0xb0, 1, TLB_INSTRUCTION, TLB_4K, 4, 128},
    {0xb1, 1, TLB_INSTRUCTION, TLB_2M, 4, 8},
    {0xb2, 1, TLB_INSTRUCTION, TLB_4K, 4, 64},
    {0xb3, 1, TLB_DATA, TLB_4K, 4, 128},
    {0xb4, 1, TLB_DATA, TLB_4K, 4, 256},
    {0xb5, 1, TLB_INSTRUCTION, TLB_4K, 8, 64},
    {0xb6, 1, TLB_INSTRUCTION, TLB_4K, 8, 128},
    {0xba, 1, TLB_DATA, TLB_4K, 4, 64},
    {0xc0, 1, TLB_DATA, TLB_4K | TLB_4M, 4, 8},
    {0xc1, 2, TLB_UNIFIED, TLB_4K | TLB_2M, 8, 1024},
    {0xc2, 1, TLB_DATA, TLB_4K | TLB_2M, 4, 16},
    {0xc3, 2, TLB_UNIFIED, TLB_4K | TLB_2M, 6, 1536},
    {0xc3, 2, TLB_UNIFIED, TLB_1G, 4, 16},
    {0xc4, 1, TLB_DATA, TLB_2M | TLB_4M, 4, 32},
    {0xca, 2, TLB_UNIFIED, TLB_4K, 4, 512},
};

/* Reads the bytes of leaf 2 without those that mean nothing. Returns their number. */
static unsigned descriptors(uint8_t out[DESCRIPTORS_MAX], cpuid_fn cpuid, void *ctx)
{
    unsigned n = 0;
    struct cpuid_regs r = cpuid(ctx, 2, 0);
    const uint32_t regs[4] = {r.eax & ~0xffu, r.ebx, r.ecx, r.edx};

    for (unsigned i = 0; i < 16; i++) {
        uint8_t byte = (uint8_t)(regs[i / 4] >> i % 4 * 8);
        bool reserved = regs[i / 4] >> 31;
        if (byte != 0 && !reserved && n < DESCRIPTORS_MAX)
            out[n++] = byte;
    }
    return n;
}

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

static struct cache described(unsigned i, const struct cpu *c)
{
    /* An L3 on the Xeon MP of family Fh, model 6; an L2 on all others. */
    bool l3 = cache_descriptors[i].byte == 0x49 && c->family == 0xf && c->model == 6;

    return (struct cache){.level = l3 ? 3 : cache_descriptors[i].level,
                          .type = cache_descriptors[i].type,
                          .size = (uint64_t)cache_descriptors[i].kib << 10,
                          .line = cache_descriptors[i].line,
                          .ways = cache_descriptors[i].ways};
}

/* Adds the levels that leaf 4 lacks: all of them on CPUs older than the leaf. */
static void caches_by_descriptors(struct cache_list *l, const struct cpu *c, cpuid_fn cpuid,
                                  void *ctx)
{
    uint8_t bytes[DESCRIPTORS_MAX];
    unsigned levels = 0; /* a bit for each that is listed */
    unsigned n = descriptors(bytes, cpuid, ctx);

    for (unsigned i = 0; i < l->n; i++)
        levels |= 1u << l->at[i].level;
    for (unsigned k = 0; k < n; k++)
        for (unsigned i = 0; i < sizeof cache_descriptors / sizeof cache_descriptors[0]; i++)
            if (cache_descriptors[i].byte == bytes[k] && !(levels >> described(i, c).level & 1))
                add_cache(l, described(i, c));
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

uint64_t caches_bytes(const struct cache *cache, unsigned n, unsigned level)
{
    for (unsigned i = 0; i < n; i++)
        if (cache[i].type != CACHE_INSTRUCTION && cache[i].level == level)
            return cache[i].size;
    return 0;
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

static void tlbs_by_descriptors(struct tlb_list *l, cpuid_fn cpuid, void *ctx)
{
    uint8_t bytes[DESCRIPTORS_MAX];
    unsigned n = descriptors(bytes, cpuid, ctx);

    for (unsigned k = 0; k < n; k++)
        for (unsigned i = 0; i < sizeof tlb_descriptors / sizeof tlb_descriptors[0]; i++)
            if (tlb_descriptors[i].byte == bytes[k])
                add_tlb(l, (struct tlb){tlb_descriptors[i].level, tlb_descriptors[i].type,
                                        tlb_descriptors[i].pages, tlb_descriptors[i].ways,
                                        tlb_descriptors[i].entries});
}

/*
 * Two TLBs, data above instruction. `unit` 0: a byte of ways (FFh: full) above a byte of entries,
 * as in 8000_0005; else four bits of ways above twelve of entries in this unit, as in 8000_0006 and
 * 8000_0019. There, if the data half is 0 and the instruction half is not, the TLB is unified.
 */
static void tlbs_amd_pair(struct tlb_list *l, uint32_t r, unsigned level, uint32_t pages,
                          uint32_t unit)
{
    for (unsigned half = 0; half < 2; half++) {
        uint32_t v = half == 0 ? r >> 16 : r & 0xffff, ways = v >> 8;
        struct tlb t = {level, half == 0 ? TLB_DATA : TLB_INSTRUCTION, pages,
                        ways == 0xff ? 0 : ways, v & 0xff};
        if (unit > 0) {
            t.type = r >> 16 == 0 ? TLB_UNIFIED : t.type;
            t.ways = amd_ways(v >> 12);
            t.entries = v >> 12 == 0 ? 0 : (v & 0xfff) * unit; /* 0: disabled */
        }
        add_tlb(l, t);
    }
}

static void tlbs_amd(struct tlb_list *l, const struct cpu *c, cpuid_fn cpuid, void *ctx)
{
    const uint32_t base = 0x80000000;
    /* Entries of second-level TLBs count 32 if 8000_0021 EAX[14], L2TlbSizeX32, is set (AMD APM
     * vol. 3, appendix E). KVM does not pass it on; the numbers are then too small. */
    const uint32_t unit = c->vendor == VENDOR_AMD && c->max_ext_leaf >= base + 0x21 &&
                                  cpuid(ctx, base + 0x21, 0).eax & 1u << 14
                              ? 32
                              : 1;

    if (c->max_ext_leaf >= base + 5) {
        struct cpuid_regs r = cpuid(ctx, base + 5, 0);
        tlbs_amd_pair(l, r.ebx, 1, TLB_4K, 0);
        tlbs_amd_pair(l, r.eax, 1, TLB_2M, 0); /* a page of 4 MiB takes two entries */
    }
    if (c->max_ext_leaf >= base + 6 && c->vendor != VENDOR_ZHAOXIN) {
        struct cpuid_regs r = cpuid(ctx, base + 6, 0);
        tlbs_amd_pair(l, r.ebx, 2, TLB_4K, unit);
        tlbs_amd_pair(l, r.eax, 2, TLB_2M, unit);
    }
    if (c->max_ext_leaf >= base + 0x19 && c->vendor != VENDOR_ZHAOXIN) {
        struct cpuid_regs r = cpuid(ctx, base + 0x19, 0);
        tlbs_amd_pair(l, r.eax, 1, TLB_1G, 1);
        tlbs_amd_pair(l, r.ebx, 2, TLB_1G, unit);
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
    if (l.n == 0 && c->max_leaf >= 2)
        tlbs_by_descriptors(&l, cpuid, ctx);
    return l.n;
}
