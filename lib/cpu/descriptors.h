/*
 * The description of a cache and of a TLB, from any leaf of CPUID; and leaf 2, which has them as
 * one byte each (Intel SDM vol. 2A, table 3-12 "Encoding of CPUID Leaf 2 Descriptors"). Newer
 * leaves report numbers instead.
 */
#ifndef LIB_CPU_DESCRIPTORS_H
#define LIB_CPU_DESCRIPTORS_H

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

#define DESCRIPTORS_MAX 15 /* three in EAX, whose lowest byte is a count, four in the others */

/* Reads the bytes of leaf 2 without those that mean nothing. Returns their number. */
unsigned descriptors_read(uint8_t out[DESCRIPTORS_MAX], const struct cpu *c, cpuid_fn cpuid,
                          void *ctx);

/* Returns false if the byte is not a cache. */
bool descriptor_cache(struct cache *out, uint8_t byte, const struct cpu *c);
/* Stores up to two TLBs for the byte; returns their number. */
unsigned descriptor_tlbs(struct tlb out[2], uint8_t byte);

#endif
