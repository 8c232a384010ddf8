/*
 * The caches and TLBs that this CPU's CPUID describes. Caches: leaf 4 (Intel, Zhaoxin; SDM vol. 2A
 * table 3-8), 8000_001D (AMD; APM vol. 3 E.4.14), 8000_0005 and 8000_0006 (older AMD, VIA; E.4.4,
 * E.4.5). TLBs: leaf 18h (Intel), 8000_0005, 8000_0006 and 8000_0019 (AMD, VIA; E.4.11). Leaf 2's
 * descriptors for both (older Intel; SDM vol. 2A table 3-12).
 */
#ifndef LIB_CPU_CACHES_H
#define LIB_CPU_CACHES_H

#include "lib/cpu/cpu.h"

enum cache_type { CACHE_DATA, CACHE_INSTRUCTION, CACHE_UNIFIED, CACHE_TYPES };

struct cache {
    unsigned level;
    enum cache_type type;
    uint64_t size; /* bytes */
    uint32_t line; /* bytes */
    uint32_t ways; /* 0: fully associative */
    /* CPUs whose APIC ids differ only in these lowest bits share it (topology_sharing).
     * shared_known is false if the CPU does not report this. */
    unsigned shared_bits;
    bool shared_known;
};

enum tlb_type { TLB_DATA, TLB_INSTRUCTION, TLB_UNIFIED, TLB_LOAD, TLB_STORE, TLB_TYPES };

#define TLB_4K 1u
#define TLB_2M 2u
#define TLB_4M 4u
#define TLB_1G 8u

struct tlb {
    unsigned level;
    enum tlb_type type;
    uint32_t pages; /* page sizes that an entry can hold: TLB_4K and so on */
    uint32_t ways;  /* 0: fully associative */
    uint32_t entries;
};

#define CACHES_MAX 10
#define TLBS_MAX   24

/* Return their number, at most CACHES_MAX, in the order in which the CPU lists them; TLBS_MAX. */
unsigned caches_decode(struct cache out[CACHES_MAX], const struct cpu *c, cpuid_fn cpuid,
                       void *ctx);
unsigned tlbs_decode(struct tlb out[TLBS_MAX], const struct cpu *c, cpuid_fn cpuid, void *ctx);

/* Returns the bytes of the cache for data of a level; 0: no such cache. */
uint64_t caches_bytes(const struct cache *cache, unsigned n, unsigned level);

/* Returns the bytes of the largest cache for data; 0: CPUID lists no cache. */
uint64_t caches_largest(const struct cache *cache, unsigned n);

/* Returns the number of the largest caches for data of this number of CPUs, at least 1: several
 * CPUs share one, as far as CPUID tells. */
unsigned caches_domains(const struct cache *cache, unsigned n, unsigned cpus);

/* Returns the number of bits that n different ids need; 0 for n of 0 and 1. */
static inline unsigned topology_bits(uint32_t n)
{
    unsigned bits = 0;

    while (bits < 32 && (uint64_t)1 << bits < n)
        bits++;
    return bits;
}

extern const char *const cache_type_names[CACHE_TYPES];
extern const char *const tlb_type_names[TLB_TYPES];

#endif
