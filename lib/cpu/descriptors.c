#include "lib/cpu/caches.h"

/* Ways 0: fully associative. */
static const struct {
    uint8_t byte;
    unsigned level;
    enum cache_type type;
    uint32_t ways, line, kib;
} caches[] = {
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
    struct tlb tlb;
} tlbs[] = {
    {0x01, {1, TLB_INSTRUCTION, TLB_4K, 4, 32}},
    {0x02, {1, TLB_INSTRUCTION, TLB_4M, 0, 2}},
    {0x03, {1, TLB_DATA, TLB_4K, 4, 64}},
    {0x04, {1, TLB_DATA, TLB_4M, 4, 8}},
    {0x05, {1, TLB_DATA, TLB_4M, 4, 32}},
    {0x0b, {1, TLB_INSTRUCTION, TLB_4M, 4, 4}},
    {0x4f, {1, TLB_INSTRUCTION, TLB_4K, 0, 32}},
    {0x50, {1, TLB_INSTRUCTION, TLB_4K | TLB_2M | TLB_4M, 0, 64}},
    {0x51, {1, TLB_INSTRUCTION, TLB_4K | TLB_2M | TLB_4M, 0, 128}},
    {0x52, {1, TLB_INSTRUCTION, TLB_4K | TLB_2M | TLB_4M, 0, 256}},
    {0x55, {1, TLB_INSTRUCTION, TLB_2M | TLB_4M, 0, 7}},
    {0x56, {1, TLB_DATA, TLB_4M, 4, 16}},
    {0x57, {1, TLB_DATA, TLB_4K, 4, 16}},
    {0x59, {1, TLB_DATA, TLB_4K, 0, 16}},
    {0x5a, {1, TLB_DATA, TLB_2M | TLB_4M, 4, 32}},
    {0x5b, {1, TLB_DATA, TLB_4K | TLB_4M, 0, 64}},
    {0x5c, {1, TLB_DATA, TLB_4K | TLB_4M, 0, 128}},
    {0x5d, {1, TLB_DATA, TLB_4K | TLB_4M, 0, 256}},
    {0x61, {1, TLB_INSTRUCTION, TLB_4K, 0, 48}},
    {0x63, {1, TLB_DATA, TLB_2M | TLB_4M, 4, 32}},
    {0x63, {1, TLB_DATA, TLB_1G, 4, 4}},
    {0x64, {1, TLB_DATA, TLB_4K, 4, 512}},
    {0x6a, {1, TLB_DATA, TLB_4K, 8, 64}},
    {0x6b, {1, TLB_DATA, TLB_4K, 8, 256}},
    {0x6c, {1, TLB_DATA, TLB_2M | TLB_4M, 8, 128}},
    {0x6d, {1, TLB_DATA, TLB_1G, 0, 16}},
    {0x76, {1, TLB_INSTRUCTION, TLB_2M | TLB_4M, 0, 8}},
    {0xa0, {1, TLB_DATA, TLB_4K, 0, 32}},
    {0xb0, {1, TLB_INSTRUCTION, TLB_4K, 4, 128}},
    {0xb1, {1, TLB_INSTRUCTION, TLB_2M, 4, 8}},
    {0xb2, {1, TLB_INSTRUCTION, TLB_4K, 4, 64}},
    {0xb3, {1, TLB_DATA, TLB_4K, 4, 128}},
    {0xb4, {1, TLB_DATA, TLB_4K, 4, 256}},
    {0xb5, {1, TLB_INSTRUCTION, TLB_4K, 8, 64}},
    {0xb6, {1, TLB_INSTRUCTION, TLB_4K, 8, 128}},
    {0xba, {1, TLB_DATA, TLB_4K, 4, 64}},
    {0xc0, {1, TLB_DATA, TLB_4K | TLB_4M, 4, 8}},
    {0xc1, {2, TLB_UNIFIED, TLB_4K | TLB_2M, 8, 1024}},
    {0xc2, {1, TLB_DATA, TLB_4K | TLB_2M, 4, 16}},
    {0xc3, {2, TLB_UNIFIED, TLB_4K | TLB_2M, 6, 1536}},
    {0xc3, {2, TLB_UNIFIED, TLB_1G, 4, 16}},
    {0xc4, {1, TLB_DATA, TLB_2M | TLB_4M, 4, 32}},
    {0xca, {2, TLB_UNIFIED, TLB_4K, 4, 512}},
};

unsigned descriptors_read(uint8_t out[DESCRIPTORS_MAX], const struct cpu *c, cpuid_fn cpuid,
                          void *ctx)
{
    unsigned n = 0;

    if (c->max_leaf < 2)
        return 0;
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

bool descriptor_cache(struct cache *out, uint8_t byte, const struct cpu *c)
{
    for (unsigned i = 0; i < sizeof caches / sizeof caches[0]; i++) {
        if (caches[i].byte != byte)
            continue;
        *out = (struct cache){
            .level = caches[i].level,
            .type = caches[i].type,
            .size = (uint64_t)caches[i].kib << 10,
            .line = caches[i].line,
            .ways = caches[i].ways,
        };
        /* Table 3-12: an L3 on the Xeon MP of family Fh, model 6; an L2 on all others. */
        if (byte == 0x49 && c->family == 0xf && c->model == 6)
            out->level = 3;
        return true;
    }
    return false;
}

unsigned descriptor_tlbs(struct tlb out[2], uint8_t byte)
{
    unsigned n = 0;

    for (unsigned i = 0; i < sizeof tlbs / sizeof tlbs[0] && n < 2; i++)
        if (tlbs[i].byte == byte)
            out[n++] = tlbs[i].tlb;
    return n;
}
