#include "lib/cpu/feature_bits.h"
#include <stddef.h>

enum { EAX, EBX, ECX, EDX };

struct place {
    uint32_t leaf, subleaf;
    unsigned reg, bit;
};

#define PLACE(leaf, subleaf, reg, bit) "CPUID." #leaf "." #subleaf ":" #reg "[" #bit "]"
#define LACKS(name, place)             "needs " name " (" place "), which this CPU does not have"
#define ONE(id, name, leaf, subleaf, reg, bit)                                                     \
    [FEATURE_##id] = {LACKS(name, PLACE(leaf, subleaf, reg, bit)), {{leaf, subleaf, reg, bit}}},
#define TWO(id, name, leaf, subleaf, reg, bit, leaf2, subleaf2, reg2, bit2)                        \
    [FEATURE_##id] = {                                                                             \
        LACKS(name, PLACE(leaf, subleaf, reg, bit) ", " PLACE(leaf2, subleaf2, reg2, bit2)),       \
        {{leaf, subleaf, reg, bit}, {leaf2, subleaf2, reg2, bit2}}},

static const struct {
    const char *lacks;
    struct place place[2]; /* leaf 0: none; it has no features */
} features[FEATURES] = {FEATURE_BITS(ONE, TWO)};

static bool reports(const struct place *p, cpuid_fn cpuid, void *ctx)
{
    const uint32_t range = 0xffff0000u; /* basic and extended leaves are counted separately */

    if (p->leaf == 0)
        return false;
    uint32_t last = cpuid(ctx, p->leaf & range, 0).eax;
    /* A CPU without extended leaves answers with the registers of a basic one. */
    if (last < p->leaf || (last & range) != (p->leaf & range))
        return false;
    struct cpuid_regs r = cpuid(ctx, p->leaf, p->subleaf);
    const uint32_t words[] = {r.eax, r.ebx, r.ecx, r.edx};
    return words[p->reg] >> p->bit & 1;
}

const char *feature_lacks(enum cpu_feature f, cpuid_fn cpuid, void *ctx)
{
    if (f == FEATURE_NONE || reports(&features[f].place[0], cpuid, ctx) ||
        reports(&features[f].place[1], cpuid, ctx))
        return NULL;
    return features[f].lacks;
}
