#include "lib/cpu/overflow.h"
#include "lib/cpu/core_counter.h"

/* SDM vol. 4 table 2-2. */
#define PMC0                0xc1
#define PMC0_FULL           0x4c1
#define PERFEVTSEL0         0x186
#define FIXED_CTR2          0x30b
#define PERF_CAPABILITIES   0x345
#define FIXED_CTR_CTRL      0x38d
#define PERF_GLOBAL_STATUS  0x38e
#define PERF_GLOBAL_CTRL    0x38f
#define PERF_GLOBAL_OVF     0x390
#define FULL_WIDTH          (1ull << 13) /* of PERF_CAPABILITIES: SDM vol. 3B section 20.2.8 */
#define NARROW_BITS         32           /* reach of a write otherwise; the last bit is the sign */
#define CPUID1_ECX_PDCM     (1u << 15)
#define NO_CORE_CYCLES      (1u << 0) /* CPUID 0Ah EBX: not available */
#define NO_REFERENCE_CYCLES (1u << 2)

/* Figure 20-3: four bits for each fixed counter: ring 0, other rings, any thread, interrupt. */
#define FIXED2_SHIFT 8
#define FIXED_FIELD  0xfull
#define FIXED_COUNTS 3ull
#define FIXED_SET    0xbull
#define FIXED2_BIT   (1ull << 34) /* figure 20-4 */

/* Figure 20-1, and APM vol. 2 section 13.2.1: USR, OS, INT, EN. */
#define ENABLE      (1ull << 22)
#define WITH_NMI    (1ull << 16 | 1ull << 17 | 1ull << 20 | ENABLE)
#define CYCLES      (0x3cull | WITH_NMI) /* table 20-1: UnHalted Core Cycles */
#define AMD_CYCLES  (0x76ull | WITH_NMI)
#define AMD_CTL     0xc0010000
#define AMD_CTR     0xc0010004
#define AMD_CTL_EXT 0xc0010200
#define AMD_CTR_EXT 0xc0010201
#define AMD_STATUS  0xc0000300
#define AMD_GLOBAL  0xc0000301
#define AMD_CLEAR   0xc0000302

/* --- what CPUID reports ----------------------------------------------------------------------- */

/* Version 5 has a bitmap of the fixed counters in addition to their count. */
static void decode_intel(struct overflow_plan *p, const struct cpu *cpu, cpuid_fn cpuid, void *ctx)
{
    struct cpuid_regs a = cpuid(ctx, 0xa, 0);
    unsigned version = a.eax & 0xff;
    bool fixed2 = (a.edx & 0x1f) > 2 || (version >= 5 && a.ecx & 4);

    if (version < 2 || cpu->vendor != VENDOR_INTEL)
        return;
    p->pdcm = cpuid(ctx, 1, 0).ecx & CPUID1_ECX_PDCM;
    if (fixed2 && !(a.ebx & NO_REFERENCE_CYCLES)) {
        p->kind = OVERFLOW_FIXED2;
        p->bits = a.edx >> 5 & 0xff;
    } else if ((a.eax >> 8 & 0xff) > 0 && !(a.ebx & NO_CORE_CYCLES)) {
        p->kind = OVERFLOW_PMC0;
        p->bits = a.eax >> 16 & 0xff;
    }
}

void overflow_decode(struct overflow_plan *p, cpuid_fn cpuid, void *ctx)
{
    struct core_counters c;
    struct cpu cpu;

    cpu_decode(&cpu, cpuid, ctx);
    *p = (struct overflow_plan){.kind = OVERFLOW_NONE, .guest = cpu.hypervisor};
    core_counters_decode(&c, cpuid, ctx);
    if (c.pmc == COUNTER_AMD_PMC)
        *p = (struct overflow_plan){OVERFLOW_AMD, c.bits,   false,  c.count,
                                    c.extended,   c.global, c.guest};
    else if (cpu.msr && !cpu_is_amd(&cpu) && cpu.max_leaf >= 0xa)
        decode_intel(p, &cpu, cpuid, ctx);
}

const char *overflow_absent(const struct overflow_plan *p)
{
    if (p->kind == OVERFLOW_NONE)
        return "CPUID reports no counter that interrupts";
    if (p->bits < NARROW_BITS || p->bits > 63)
        return "the counter's width is not one of 32 to 63 bits";
    return NULL;
}

/* --- registers -------------------------------------------------------------------------------- */

static bool change(const struct msr_access *a, uint32_t msr, uint64_t mask, uint64_t bits)
{
    uint64_t now;

    return a->read(a->ctx, msr, &now) && a->write(a->ctx, msr, (now & ~mask) | (bits & mask)) &&
           a->read(a->ctx, msr, &now) && (now & mask) == (bits & mask);
}

static bool clear(const struct overflow *o, const struct msr_access *a)
{
    return !o->clear || a->write(a->ctx, o->clear, o->bit);
}

static const char *taken(const struct overflow *o, const struct overflow_plan *p,
                         const struct msr_access *a, uint64_t counts)
{
    uint64_t control;

    if (!a->read(a->ctx, o->control, &control))
        return CPU_REFUSES(p->guest, "its control MSR faults");
    return control & counts ? "in use by the firmware, or by cycle=" : NULL;
}

/* Takes the last free one: cycle= takes the first. */
static const char *choose_amd(struct overflow *o, const struct overflow_plan *p,
                              const struct msr_access *a)
{
    const char *why_not = "there is no counter";

    o->control_mask = ~0ull;
    for (unsigned i = p->count; i-- > 0;) {
        o->control = p->extended ? AMD_CTL_EXT + 2 * i : AMD_CTL + i;
        o->count = p->extended ? AMD_CTR_EXT + 2 * i : AMD_CTR + i;
        o->bit = 1ull << i;
        why_not = taken(o, p, a, ENABLE);
        if (!why_not)
            break;
    }
    if (p->global) {
        o->enable = AMD_GLOBAL;
        o->status = AMD_STATUS;
        o->clear = AMD_CLEAR;
    }
    return why_not;
}

static const char *choose_intel(struct overflow *o, const struct overflow_plan *p,
                                const struct msr_access *a)
{
    uint64_t has = 0;
    bool full = p->pdcm && a->read(a->ctx, PERF_CAPABILITIES, &has) && has & FULL_WIDTH;

    if (!full)
        o->most = (1ull << (NARROW_BITS - 1)) - 1;
    o->enable = PERF_GLOBAL_CTRL;
    o->status = PERF_GLOBAL_STATUS;
    o->clear = PERF_GLOBAL_OVF;
    if (p->kind == OVERFLOW_FIXED2) {
        o->count = FIXED_CTR2;
        o->control = FIXED_CTR_CTRL;
        o->control_mask = FIXED_FIELD << FIXED2_SHIFT;
        o->bit = FIXED2_BIT;
        return taken(o, p, a, FIXED_COUNTS << FIXED2_SHIFT);
    }
    o->count = full ? PMC0_FULL : PMC0;
    o->control = PERFEVTSEL0;
    o->control_mask = ~0ull;
    o->bit = 1;
    return taken(o, p, a, ENABLE);
}

static bool keep(struct overflow *o, const struct msr_access *a)
{
    return a->read(a->ctx, o->count, &o->count_was) &&
           a->read(a->ctx, o->control, &o->control_was) &&
           (!o->enable || a->read(a->ctx, o->enable, &o->enable_was));
}

static uint64_t control_of(enum overflow_kind kind)
{
    switch (kind) {
    case OVERFLOW_FIXED2:
        return FIXED_SET << FIXED2_SHIFT;
    case OVERFLOW_PMC0:
        return CYCLES;
    case OVERFLOW_AMD:
        return AMD_CYCLES;
    case OVERFLOW_NONE:
        break;
    }
    return 0;
}

/* --- from start to stop ----------------------------------------------------------------------- */

const char *overflow_start(struct overflow *o, const struct overflow_plan *p,
                           const struct msr_access *a, uint64_t counts)
{
    const char *why_not = overflow_absent(p);

    *o = (struct overflow){.bits = p->bits};
    if (why_not)
        return why_not;
    o->most = (1ull << (p->bits - 1)) - 1;
    why_not = p->kind == OVERFLOW_AMD ? choose_amd(o, p, a) : choose_intel(o, p, a);
    if (why_not)
        return why_not;
    if (!keep(o, a))
        return CPU_REFUSES(p->guest, "one of its MSRs faults");
    o->set = true;
    if (overflow_again(o, a, counts) &&
        change(a, o->control, o->control_mask, control_of(p->kind)) &&
        (!o->enable || change(a, o->enable, o->bit, o->bit)))
        return NULL;
    (void)overflow_stop(o, a);
    return CPU_REFUSES(p->guest, "one of its MSRs cannot be written");
}

/* The count rises to 0. Old AMD counters have no status, but their top bit is set until then. */
bool overflow_came(const struct overflow *o, const struct msr_access *a)
{
    uint64_t now;

    if (!o->set)
        return false;
    if (o->status)
        return a->read(a->ctx, o->status, &now) && now & o->bit;
    return a->read(a->ctx, o->count, &now) && !(now >> (o->bits - 1) & 1);
}

/* Older CPUs write 32 bits and sign-extend the last one, which is set. */
bool overflow_again(const struct overflow *o, const struct msr_access *a, uint64_t counts)
{
    uint64_t n = counts == 0 ? 1 : counts < o->most ? counts : o->most;

    return clear(o, a) && a->write(a->ctx, o->count, (0 - n) & ((1ull << o->bits) - 1));
}

bool overflow_stop(struct overflow *o, const struct msr_access *a)
{
    bool same = true;

    if (!o->set)
        return true;
    o->set = false;
    if (o->enable)
        same = change(a, o->enable, o->bit, o->enable_was);
    same = change(a, o->control, o->control_mask, o->control_was) && same;
    same = clear(o, a) && same;
    return a->write(a->ctx, o->count, o->count_was) && same;
}
