/*
 * The states that MWAIT can enter, by its hint in EAX: bits 7:4 are the C-state less 1, bits 3:0
 * its sub-state. Sources: SDM vol. 2B MWAIT, vol. 2A CPUID leaf 5; APM vol. 3 appendix E.3.3.
 */
#ifndef LIB_CPU_CSTATES_H
#define LIB_CPU_CSTATES_H

#include <stdbool.h>
#include "lib/cpu/cpu.h"

/* Returns whether CPUID leaf 5 names the state: its EDX has the number of sub-states of each
 * C-state, 4 bits each. Every CPU with MONITOR has hint 0. */
bool cstates_named(uint32_t hint, cpuid_fn cpuid, void *ctx);

#endif
