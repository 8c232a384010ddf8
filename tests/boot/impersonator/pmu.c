/*
 * Performance counters: cycles, instructions, SMIs. A counter that overflows interrupts as the
 * local APIC's entry says, if that is an NMI; on a machine of one core. Comparator 0 of the HPET
 * then ends the guest's run in time, by an NMI as a message (exits.c); the program takes the last
 * comparator. Intel SDM vol. 3B ch. 20; AMD APM vol. 2 section 13.2 and the PPRs' events; IA-PC
 * HPET 1.0a 2.3.
 */
#include "imp.h"

#define ENABLED      BIT(22)
#define INTERRUPTS   BIT(20)
#define AMD_EXTENDED BIT(23) /* CPUID 8000_0001h ECX */

#define HPET_ID            0x000
#define HPET_COUNTER       0x0f0
#define HPET_TIMER_CONFIG  0x100
#define HPET_TIMER_COMPARE 0x108
#define HPET_TIMER_MESSAGE 0x110
#define HPET_ENABLED       BIT(2)
#define HPET_BY_MESSAGE    BIT(14)
#define HPET_NMI           (0xfee00000ull << 32 | 4 << 8) /* to APIC 0 */

#define LVT_COUNTER ((volatile u32 *)0xfee00340)
#define LVT_MASKED  BIT(16)
#define LVT_MODE    0x700u
#define LVT_NMI     0x400u

static volatile u64 *hpet(u64 offset)
{
    return (volatile u64 *)(0xfed00000 + offset);
}

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
    c->fixed_control = c->global = c->status = c->pending = 0;
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

static int interrupts(const struct core *c, u32 i)
{
    return i < FIXED ? !!(c->counter[i].control & INTERRUPTS)
                     : (int)(c->fixed_control >> (4 * (i - FIXED) + 3) & 1);
}

/* Brings the counters up to date. */
static void update(struct core *c)
{
    u64 count;

    for (u32 i = 0; i < COUNTERS; i++) {
        struct counter *k = &c->counter[i];
        if (!counts(c, i, &count))
            continue;
        k->value += count - k->since;
        k->since = count;
        if (k->value >> c->pmu.bits) {
            c->status |= BIT(i < FIXED ? i : 32 + i - FIXED);
            c->pending |= interrupts(c, i);
        }
        k->value &= BIT(c->pmu.bits) - 1;
    }
}

/* Returns the ns until a counter overflows that interrupts; 0: none does. */
static u64 until_overflow(const struct core *c)
{
    u64 count, least = 0;

    for (u32 i = 0; i < COUNTERS; i++) {
        if (!interrupts(c, i) || !counts(c, i, &count))
            continue;
        u64 left = BIT(c->pmu.bits) - c->counter[i].value;
        u64 ns = i == FIXED + 2 || (c->counter[i].control & 0xffff) == 0x13c
                     ? clock_scale(left, 1000000, machine->tsc_khz)
                     : clock_scale(left, machine->cycles_b, machine->cycles_a) << machine->shift;
        if (least == 0 || ns < least)
            least = ns;
    }
    return least;
}

/* Sets the HPET's comparator 0 to the next overflow. */
static void arm(const struct core *c)
{
    u64 ns = machine->cores == 1 ? until_overflow(c) : 0;

    *hpet(HPET_TIMER_CONFIG) = 0;
    if (ns == 0)
        return;
    *hpet(HPET_TIMER_MESSAGE) = HPET_NMI;
    *hpet(HPET_TIMER_COMPARE) = *hpet(HPET_COUNTER) + ns * 1000000 / (*hpet(HPET_ID) >> 32) + 1;
    *hpet(HPET_TIMER_CONFIG) = HPET_BY_MESSAGE | HPET_ENABLED;
}

static void restart(struct core *c)
{
    u64 count;

    for (u32 i = 0; i < COUNTERS; i++)
        if (counts(c, i, &count))
            c->counter[i].since = count;
    arm(c);
}

int pmu_interrupts(struct core *c)
{
    int ours =
        *hpet(HPET_TIMER_CONFIG) & HPET_ENABLED && *hpet(HPET_COUNTER) >= *hpet(HPET_TIMER_COMPARE);

    update(c);
    restart(c);
    if (!ours)
        return 1;
    if (!c->pending || (*LVT_COUNTER & (LVT_MASKED | LVT_MODE)) != LVT_NMI)
        return 0;
    c->pending = 0;
    if (!c->pmu.amd)
        *LVT_COUNTER |= LVT_MASKED;
    return 1;
}

/* Returns what holds this MSR; NULL: nothing. `clear` is a register whose bits clear the status. */
static u64 *intel_register(struct core *c, u32 a, u64 *clear)
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
    if (a == 0x38e && p->version > 1)
        return &c->status;
    return a == 0x390 && p->version > 1 ? clear : 0;
}

static u64 *amd_register(struct core *c, u32 a, u64 *clear)
{
    if (a >= 0xc0010000 && a < 0xc0010004)
        return &c->counter[a & 3].control;
    if (a >= 0xc0010004 && a < 0xc0010008)
        return &c->counter[a & 3].value;
    if (a >= 0xc0000300 && a <= 0xc0000302 && c->pmu.version > 1)
        return a == 0xc0000301 ? &c->global : a == 0xc0000300 ? &c->status : clear;
    if (a < 0xc0010200 || a >= 0xc001020c || c->pmu.counters < 6)
        return 0;
    struct counter *k = &c->counter[(a - 0xc0010200) / 2];
    return a & 1 ? &k->value : &k->control;
}

int pmu_msr(struct core *c, u32 address, u64 *v, int write)
{
    u64 clear = 0;
    u64 *at = c->pmu.amd ? amd_register(c, address, &clear) : intel_register(c, address, &clear);

    if (!at || (write && at == &c->status))
        return 0;
    update(c);
    if (write)
        *at = *v;
    else
        *v = *at;
    c->status &= ~clear;
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
