/*
 * Leaf 2: caches and TLBs as one byte each (Intel SDM vol. 2A, table 3-12 "Encoding of CPUID Leaf 2
 * Descriptors"). What newer leaves say in numbers stands here by its name alone.
 */
#ifndef LIB_CPU_DESCRIPTORS_H
#define LIB_CPU_DESCRIPTORS_H

#include "lib/cpu/cache_kinds.h"
#include "lib/cpu/cpu.h"

#define DESCRIPTORS_MAX 15 /* three in EAX, whose lowest byte is a count, four in EBX, ECX, EDX */

/* The bytes of leaf 2, those that mean nothing left out. Returns how many. */
unsigned descriptors_read(uint8_t out[DESCRIPTORS_MAX], const struct cpu *c, cpuid_fn cpuid,
                          void *ctx);

/* False where the byte is no cache. */
bool descriptor_cache(struct cache *out, uint8_t byte, const struct cpu *c);
/* Adds up to two TLBs for the byte; returns how many. */
unsigned descriptor_tlbs(struct tlb out[2], uint8_t byte);

#endif
