#include "lib/cpu/cstates.h"

#define LEAF_MONITOR  5
#define SUBSTATE_BITS 4
#define NIBBLE        0xfu

bool cstates_named(uint32_t hint, cpuid_fn cpuid, void *ctx)
{
    uint32_t state = ((hint >> SUBSTATE_BITS) + 1) & NIBBLE, substate = hint & NIBBLE;

    if (cpuid(ctx, 0, 0).eax < LEAF_MONITOR)
        return false;
    if (hint == 0)
        return true;
    uint32_t edx = cpuid(ctx, LEAF_MONITOR, 0).edx;
    return state < 32 / SUBSTATE_BITS && substate < (edx >> SUBSTATE_BITS * state & NIBBLE);
}
