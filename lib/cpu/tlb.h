/*
 * The TLBs of the CPU that is asked: leaf 18h (Intel; SDM vol. 2A table 3-8), 8000_0005, 8000_0006
 * and 8000_0019 (AMD, VIA; APM vol. 3 E.4.4, E.4.5, E.4.11), else leaf 2's descriptors
 * (lib/cpu/descriptors.h).
 */
#ifndef LIB_CPU_TLB_H
#define LIB_CPU_TLB_H

#include "lib/cpu/cpu.h"

#define TLBS_MAX 24

enum tlb_type { TLB_DATA, TLB_INSTRUCTION, TLB_UNIFIED, TLB_LOAD, TLB_STORE, TLB_TYPES };

#define TLB_4K 1u
#define TLB_2M 2u
#define TLB_4M 4u
#define TLB_1G 8u

struct tlb {
    uint8_t level;
    uint8_t type;  /* enum tlb_type */
    uint8_t pages; /* sizes that an entry can hold: TLB_4K and so on */
    uint8_t ways;  /* 0: fully associative */
    uint32_t entries;
};

/* Returns how many there are, at most TLBS_MAX. */
unsigned tlbs_decode(struct tlb out[TLBS_MAX], const struct cpu *c, cpuid_fn cpuid, void *ctx);

extern const char *const tlb_type_names[TLB_TYPES];

#endif
