/* The description of a cache, and of a TLB, from any leaf of CPUID. */
#ifndef LIB_CPU_CACHE_KINDS_H
#define LIB_CPU_CACHE_KINDS_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
