#include "bench/suites/truth/table.h"

#include <stddef.h>

struct latencies {
    uint8_t simple, lea, cmov, imul, imul64, load; /* core cycles; 0: not known */
};

/* Groups of cores with equal latencies, named after the first core of each. */
enum core {
    CORE_UNKNOWN,
    CORE2,        /* Merom, Penryn */
    NEHALEM,      /* to Haswell */
    BROADWELL,    /* to Comet Lake */
    ICE_LAKE,     /* Tiger Lake, Rocket Lake, and the Xeons to Emerald Rapids */
    REDWOOD_COVE, /* Granite Rapids: cmov takes 1 or 2 by the flags' writer (docs/window.md) */
    HYBRID,       /* two kinds of core under one model number */
    BONNELL,      /* the in-order Atoms */
    SILVERMONT,   /* to Goldmont Plus */
    TREMONT,
    K8,     /* and K10 */
    JAGUAR, /* and Bobcat */
    BULLDOZER,
    ZEN,  /* and Zen 2 */
    ZEN3, /* to Zen 5 */
};

static const struct latencies core_latencies[] = {
    [CORE_UNKNOWN] = {0},
    [CORE2] = {.simple = 1, .lea = 1, .cmov = 2, .imul = 3, .load = 3},
    [NEHALEM] = {.simple = 1, .lea = 1, .cmov = 2, .imul = 3, .imul64 = 3, .load = 4},
    [BROADWELL] = {.simple = 1, .lea = 1, .cmov = 1, .imul = 3, .imul64 = 3, .load = 4},
    [ICE_LAKE] = {.simple = 1, .lea = 1, .cmov = 1, .imul = 3, .imul64 = 3, .load = 5},
    [REDWOOD_COVE] = {.simple = 1, .lea = 1, .imul = 3, .imul64 = 3, .load = 5},
    [HYBRID] = {.simple = 1, .lea = 1, .imul = 3},
    [BONNELL] = {.simple = 1, .cmov = 2, .imul = 5},
    [SILVERMONT] = {.simple = 1, .lea = 1, .cmov = 2, .imul = 3, .imul64 = 5, .load = 3},
    [TREMONT] = {.simple = 1, .lea = 1, .imul = 3, .load = 3},
    [K8] = {.simple = 1, .cmov = 1, .imul = 3, .imul64 = 4, .load = 3},
    [JAGUAR] = {.simple = 1, .lea = 1, .cmov = 1, .imul = 3, .imul64 = 6, .load = 3},
    [BULLDOZER] = {.simple = 1, .lea = 1, .cmov = 1, .imul = 4, .imul64 = 6, .load = 4},
    [ZEN] = {.simple = 1, .lea = 1, .cmov = 1, .imul = 3, .load = 4},
    [ZEN3] = {.simple = 1, .lea = 1, .cmov = 1, .imul = 3, .imul64 = 3, .load = 4},
};

/* Family 6, by model (SDM vol. 4, table 2-1). */
static const struct {
    enum core core;
    uint8_t models[16]; /* ends with 0 */
} intel[] = {
    {CORE2, {0x0f, 0x16, 0x17, 0x1d}},
    {NEHALEM, {0x1a, 0x1e, 0x1f, 0x2e, 0x25, 0x2c, 0x2f, 0x2a, 0x2d, 0x3a, 0x3e}},
    {NEHALEM, {0x3c, 0x3f, 0x45, 0x46}},
    {BROADWELL, {0x3d, 0x47, 0x4f, 0x56, 0x4e, 0x55, 0x5e, 0x8e, 0x9e, 0xa5, 0xa6}},
    {ICE_LAKE, {0x7d, 0x7e, 0x6a, 0x6c, 0x8c, 0x8d, 0xa7, 0x8f, 0xcf}},
    {REDWOOD_COVE, {0xad, 0xae}},
    {HYBRID, {0x8a, 0x97, 0x9a, 0xb7, 0xba, 0xbf, 0xaa, 0xac, 0xbd, 0xc5, 0xc6}},
    {BONNELL, {0x1c, 0x26, 0x27, 0x35, 0x36}},
    {SILVERMONT, {0x37, 0x4a, 0x4d, 0x5a, 0x5d, 0x4c, 0x5c, 0x5f, 0x7a}},
    {TREMONT, {0x86, 0x96, 0x9c}},
};

static enum core intel_core(const struct cpu *cpu)
{
    if (cpu->family != 6)
        return CORE_UNKNOWN;
    for (size_t i = 0; i < sizeof intel / sizeof *intel; i++)
        for (const uint8_t *model = intel[i].models; *model; model++)
            if (*model == cpu->model)
                return intel[i].core;
    return CORE_UNKNOWN;
}

/* Returns whether a model of family 1Ah is a Zen 5 (Linux, arch/x86/kernel/cpu/amd.c,
 * X86_FEATURE_ZEN5). Its other models are later cores, which are not documented yet. */
static bool is_zen5(uint32_t model)
{
    return model <= 0x2f || (model >= 0x40 && model <= 0x4f) || (model >= 0x60 && model <= 0x7f);
}

static enum core amd_core(const struct cpu *cpu)
{
    switch (cpu->family) {
    case 0x0f:
    case 0x10:
        return K8;
    case 0x14:
    case 0x16:
        return JAGUAR;
    case 0x15:
        return BULLDOZER;
    case 0x17:
    case 0x18: /* Hygon's */
        return ZEN;
    case 0x19:
        return ZEN3;
    case 0x1a:
        return is_zen5(cpu->model) ? ZEN3 : CORE_UNKNOWN;
    default:
        return CORE_UNKNOWN;
    }
}

static const struct latencies *latencies(const struct cpu *cpu)
{
    enum core core = CORE_UNKNOWN;

    if (cpu_model_is_masked(cpu))
        return &core_latencies[CORE_UNKNOWN];
    if (cpu->vendor == VENDOR_INTEL)
        core = intel_core(cpu);
    else if (cpu->vendor == VENDOR_AMD || cpu->vendor == VENDOR_HYGON)
        core = amd_core(cpu);
    return &core_latencies[core];
}

#define TRUTH(name_)                                                                               \
    double truth_##name_(const struct cpu *cpu)                                                    \
    {                                                                                              \
        return latencies(cpu)->name_;                                                              \
    }
TRUTH(simple)
TRUTH(lea)
TRUTH(cmov)
TRUTH(imul)
TRUTH(imul64)
TRUTH(load)
