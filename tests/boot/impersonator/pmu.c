/* Performance counters: cycles, instructions, SMIs. A counter that overflows causes no interrupt.
 * Intel SDM vol. 3B ch. 20; AMD APM vol. 2 section 13.2 and the PPRs' events. */
#include "imp.h"

#define ENABLED      BIT(22)
#define AMD_EXTENDED BIT(23) /* CPUID 8000_0001h ECX */

static u32 less(u32 a, u32 b)
{
    return a < b ? a : b;
}

void pmu_prepare(struct core *c)
{
    struct pmu *p = &c->pmu;
    u32 r[4], extended[4], global[4];

    cpuid_recorded(c, 0xa, 0, r);
    cpuid_recorded(c, 0x80000001, 0, extended);
    cpuid_recorded(c, 0x80000022, 0, global);
    *p =
        (struct pmu){cpuid_is_amd(c), r[0] & 255, less(r[0] >> 8 & 255, FIXED), 0, r[3] >> 5 & 255};
    if (p->version > 1) /* version 2 may leave the number out: Intel family 6 model 15 */
        p->fixed = p->version == 2 && !(r[3] & 31) ? 3 : less(r[3] & 31, COUNTERS - FIXED);
    if (p->bits == 0)
        p->bits = 40;
    if (p->amd)
        *p = (struct pmu){1, global[0] & 1 ? 2 : 1, extended[2] & AMD_EXTENDED ? 6 : 4, 0, 48};
    c->fixed_control = c->global = 0;
    for (u32 i = 0; i < COUNTERS; i++)
        c->counter[i] = (struct counter){0, 0, 0};
}

static u64 intel_event(const struct core *c, u64 control)
{
    switch (control & 0xffff) {
    case 0xc0:
        return clock_instructions(c);
    case 0x3c:
        return clock_cycles(c);
    case 0x13c: /* at the rate of the TSC */
        return clock_tsc(c);
    default:
        return 0;
    }
}

static u64 amd_event(const struct core *c, u64 control)
{
    switch (control & 0xff) {
    case 0x76:
        return clock_cycles(c);
    case 0xc0:
        return clock_instructions(c);
    case 0x2b:
        return c->smis;
    default:
        return 0;
    }
}

static u64 fixed_event(const struct core *c, u32 n)
{
    return n == 0 ? clock_instructions(c) : n == 1 ? clock_cycles(c) : n == 2 ? clock_tsc(c) : 0;
}

/* Returns whether counter i counts now, and its event's count since power-on. */
static int counts(const struct core *c, u32 i, u64 *count)
{
    u64 control = c->counter[i].control;

    if (i >= FIXED) {
        u32 n = i - FIXED;
        if (!(c->fixed_control >> 4 * n & 3) || !(c->global >> (32 + n) & 1))
            return 0;
        *count = fixed_event(c, n);
        return 1;
    }
    if (!(control & ENABLED) || (c->pmu.version > 1 && !(c->global >> i & 1)))
        return 0;
    *count = c->pmu.amd ? amd_event(c, control) : intel_event(c, control);
    return 1;
}

static void update(struct core *c)
{
    u64 count;

    for (u32 i = 0; i < COUNTERS; i++) {
        struct counter *k = &c->counter[i];
        if (counts(c, i, &count))
            k->value = (k->value + count - k->since) & (BIT(c->pmu.bits) - 1);
    }
}

static void restart(struct core *c)
{
    u64 count;

    for (u32 i = 0; i < COUNTERS; i++)
        if (counts(c, i, &count))
            c->counter[i].since = count;
}

/* Returns what holds this MSR; NULL: nothing. `zero` keeps nothing. */
static u64 *intel_register(struct core *c, u32 a, u64 *zero)
{
    const struct pmu *p = &c->pmu;

    if (a >= 0x186 && a < 0x186 + p->counters)
        return &c->counter[a - 0x186].control;
    if (a >= 0xc1 && a < 0xc1 + p->counters)
        return &c->counter[a - 0xc1].value;
    if (a >= 0x4c1 && a < 0x4c1 + p->counters)
        return &c->counter[a - 0x4c1].value;
    if (a >= 0x309 && a < 0x309 + p->fixed)
        return &c->counter[FIXED + a - 0x309].value;
    if (a == 0x38d && p->fixed)
        return &c->fixed_control;
    if (a == 0x38f && p->version > 1)
        return &c->global;
    return (a == 0x38e || a == 0x390) && p->version > 1 ? zero : 0;
}

static u64 *amd_register(struct core *c, u32 a, u64 *zero)
{
    if (a >= 0xc0010000 && a < 0xc0010004)
        return &c->counter[a & 3].control;
    if (a >= 0xc0010004 && a < 0xc0010008)
        return &c->counter[a & 3].value;
    if (a >= 0xc0000300 && a <= 0xc0000302 && c->pmu.version > 1)
        return a == 0xc0000301 ? &c->global : zero;
    if (a < 0xc0010200 || a >= 0xc001020c || c->pmu.counters < 6)
        return 0;
    struct counter *k = &c->counter[(a - 0xc0010200) / 2];
    return a & 1 ? &k->value : &k->control;
}

int pmu_msr(struct core *c, u32 address, u64 *v, int write)
{
    u64 zero = 0;
    u64 *at = c->pmu.amd ? amd_register(c, address, &zero) : intel_register(c, address, &zero);

    if (!at)
        return 0;
    update(c);
    if (write)
        *at = *v;
    else
        *v = *at;
    restart(c);
    return 1;
}

int pmu_rdpmc(struct core *c, u32 index, u64 *v)
{
    u32 i = index & 0xffff;
    int fixed = !c->pmu.amd && index >> 30 == 1;

    if (fixed ? i >= c->pmu.fixed : index >= c->pmu.counters)
        return 0;
    update(c);
    restart(c);
    *v = c->counter[fixed ? FIXED + i : i].value;
    return 1;
}
