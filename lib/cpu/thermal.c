#include "lib/cpu/thermal.h"

/* Status bits; the log bit of each is the next bit. */
enum {
    STATUS = 1u << 0,
    PROCHOT = 1u << 2, /* or FORCEPR: an external signal */
    CRITICAL = 1u << 4,
    THRESHOLD_1 = 1u << 6,
    THRESHOLD_2 = 1u << 8,
    POWER_LIMIT = 1u << 10,
    CURRENT_LIMIT = 1u << 12,
    CROSS_DOMAIN = 1u << 14,
};

/* Leaf 6 EAX. */
enum { LEAF6_SENSOR = 1u << 0, LEAF6_PLN = 1u << 4, LEAF6_PTM = 1u << 6, LEAF6_HWP = 1u << 7 };

void thermal_decode(struct thermal *t, const struct cpu *c, cpuid_fn cpuid, void *ctx)
{
    *t = (struct thermal){0};
    if (c->vendor != VENDOR_INTEL || !c->msr || c->max_leaf < 6)
        return;
    uint32_t eax = cpuid(ctx, 6, 0).eax;
    uint32_t causes = STATUS | PROCHOT | (eax & LEAF6_PLN ? POWER_LIMIT : 0);
    uint32_t events = causes | CRITICAL | THRESHOLD_1 | THRESHOLD_2;
    uint32_t more = eax & LEAF6_HWP ? CURRENT_LIMIT | CROSS_DOMAIN : 0; /* only per core */
    if (eax & LEAF6_SENSOR) {
        t->scope[THERMAL_CORE].causes = causes | more;
        t->scope[THERMAL_CORE].logs = (events | more) << 1;
    }
    if (eax & LEAF6_PTM) {
        t->scope[THERMAL_PACKAGE].causes = causes;
        t->scope[THERMAL_PACKAGE].logs = events << 1;
    }
}

uint64_t thermal_clear(const struct thermal *t, enum thermal_scope scope, uint64_t now)
{
    uint32_t ours = t->scope[scope].causes << 1;

    return now & ours ? t->scope[scope].logs & ~ours : 0;
}

uint32_t thermal_causes(const struct thermal *t, enum thermal_scope scope, uint64_t first,
                        uint64_t last)
{
    uint32_t log = (uint32_t)((last & ~first) >> 1);

    return ((uint32_t)(first | last) | log) & t->scope[scope].causes;
}

const char *thermal_cause(unsigned bit)
{
    switch (1u << bit) {
    case STATUS:
        return "thermal";
    case PROCHOT:
        return "prochot";
    case POWER_LIMIT:
        return "power_limit";
    case CURRENT_LIMIT:
        return "current_limit";
    case CROSS_DOMAIN:
        return "cross_domain";
    }
    return NULL;
}
