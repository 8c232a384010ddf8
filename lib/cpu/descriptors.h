/*
 * Leaf 2: caches and TLBs as one byte each (Intel SDM vol. 2A, table 3-12 "Encoding of CPUID Leaf 2
 * Descriptors"). Newer leaves report numbers instead.
 */
#ifndef LIB_CPU_DESCRIPTORS_H
#define LIB_CPU_DESCRIPTORS_H

#include "lib/cpu/caches.h"

#define DESCRIPTORS_MAX 15 /* three in EAX, whose lowest byte is a count, four in the others */

/* Reads the bytes of leaf 2 without those that mean nothing. Returns their number. */
unsigned descriptors_read(uint8_t out[DESCRIPTORS_MAX], const struct cpu *c, cpuid_fn cpuid,
                          void *ctx);

/* Returns false if the byte is not a cache. */
bool descriptor_cache(struct cache *out, uint8_t byte, const struct cpu *c);
/* Stores up to two TLBs for the byte; returns their number. */
unsigned descriptor_tlbs(struct tlb out[2], uint8_t byte);

#endif
