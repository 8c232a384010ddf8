#include "lib/cpu/tlb.h"

#include "lib/cpu/caches.h"
#include "lib/cpu/descriptors.h"

const char *const tlb_type_names[TLB_TYPES] = {"data", "instruction", "unified", "load", "store"};

struct list {
    struct tlb *at;
    unsigned n;
};

static void add(struct list *l, struct tlb tlb)
{
    if (l->n < TLBS_MAX && tlb.entries > 0)
        l->at[l->n++] = tlb;
}

/* Leaf 18h: subleaf 0 EAX is the last subleaf; EDX[4:0] is a type, 0 for an unused subleaf. */
static void deterministic(struct list *l, cpuid_fn cpuid, void *ctx)
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
        add(l, (struct tlb){
                   .level = r.edx >> 5 & 7,
                   .type = types[type],
                   .pages = r.ebx & 0xf, /* bit by bit TLB_4K, 2M, 4M, 1G */
                   .ways = r.edx >> 8 & 1 ? 0 : ways,
                   .entries = entries > UINT32_MAX ? 0 : (uint32_t)entries,
               });
    }
}

static void from_descriptors(struct list *l, const struct cpu *c, cpuid_fn cpuid, void *ctx)
{
    uint8_t bytes[DESCRIPTORS_MAX];
    unsigned n = descriptors_read(bytes, c, cpuid, ctx);

    for (unsigned i = 0; i < n; i++) {
        struct tlb two[2];
        unsigned found = descriptor_tlbs(two, bytes[i]);
        for (unsigned k = 0; k < found; k++)
            add(l, two[k]);
    }
}

/* 8000_0005 EAX, EBX: a byte of ways (FFh: full) above a byte of entries, data above
 * instruction. */
static void amd_l1(struct list *l, uint32_t r, uint32_t pages)
{
    for (unsigned half = 0; half < 2; half++) {
        uint32_t v = half == 0 ? r >> 16 : r & 0xffff, ways = v >> 8;
        add(l, (struct tlb){
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
static void amd_lower(struct list *l, uint32_t r, unsigned level, uint32_t pages, uint32_t unit)
{
    bool unified = r >> 16 == 0;

    for (unsigned half = 0; half < 2; half++) {
        uint32_t v = half == 0 ? r >> 16 : r & 0xffff;
        if (v >> 12 == 0) /* disabled */
            continue;
        add(l, (struct tlb){
                   .level = level,
                   .type = half == 0 ? TLB_DATA
                           : unified ? TLB_UNIFIED
                                     : TLB_INSTRUCTION,
                   .pages = pages,
                   .ways = caches_amd_ways(v >> 12),
                   .entries = (v & 0xfff) * unit,
               });
    }
}

/* Unit of the entries of second-level TLBs: 8000_0021 EAX[14], L2TlbSizeX32 (AMD APM vol. 3,
 * appendix E). KVM does not pass it on; the numbers are then too small. */
static uint32_t amd_unit(const struct cpu *c, cpuid_fn cpuid, void *ctx)
{
    const uint32_t leaf = 0x80000021;

    if (c->vendor != VENDOR_AMD || c->max_ext_leaf < leaf)
        return 1;
    return cpuid(ctx, leaf, 0).eax & 1u << 14 ? 32 : 1;
}

static void amd(struct list *l, const struct cpu *c, cpuid_fn cpuid, void *ctx)
{
    const uint32_t base = 0x80000000, unit = amd_unit(c, cpuid, ctx);

    if (c->max_ext_leaf >= base + 5) {
        struct cpuid_regs r = cpuid(ctx, base + 5, 0);
        amd_l1(l, r.ebx, TLB_4K);
        amd_l1(l, r.eax, TLB_2M); /* a page of 4 MiB takes two entries */
    }
    if (c->max_ext_leaf >= base + 6 && c->vendor != VENDOR_ZHAOXIN) {
        struct cpuid_regs r = cpuid(ctx, base + 6, 0);
        amd_lower(l, r.ebx, 2, TLB_4K, unit);
        amd_lower(l, r.eax, 2, TLB_2M, unit);
    }
    if (c->max_ext_leaf >= base + 0x19 && c->vendor != VENDOR_ZHAOXIN) {
        struct cpuid_regs r = cpuid(ctx, base + 0x19, 0);
        amd_lower(l, r.eax, 1, TLB_1G, 1);
        amd_lower(l, r.ebx, 2, TLB_1G, unit);
    }
}

unsigned tlbs_decode(struct tlb out[TLBS_MAX], const struct cpu *c, cpuid_fn cpuid, void *ctx)
{
    struct list l = {out, 0};

    if (c->vendor != VENDOR_INTEL) {
        amd(&l, c, cpuid, ctx);
        return l.n;
    }
    if (c->max_leaf >= 0x18)
        deterministic(&l, cpuid, ctx);
    if (l.n == 0)
        from_descriptors(&l, c, cpuid, ctx);
    return l.n;
}
