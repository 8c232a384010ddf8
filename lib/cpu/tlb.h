/*
 * The TLBs of this CPU: leaf 18h (Intel; SDM vol. 2A table 3-8), 8000_0005, 8000_0006 and 8000_0019
 * (AMD, VIA; APM vol. 3 E.4.4, E.4.5, E.4.11), else leaf 2's descriptors (lib/cpu/descriptors.h).
 */
#ifndef LIB_CPU_TLB_H
#define LIB_CPU_TLB_H

#include "lib/cpu/cache_kinds.h"
#include "lib/cpu/cpu.h"

#define TLBS_MAX 24

/* Returns their number, at most TLBS_MAX. */
unsigned tlbs_decode(struct tlb out[TLBS_MAX], const struct cpu *c, cpuid_fn cpuid, void *ctx);

extern const char *const tlb_type_names[TLB_TYPES];

#endif
