#include "lib/cpu/recording.h"
#include "lib/cpu/controls.h"
#include "lib/cpu/core_counter.h"
#include "lib/cpu/features.h"
#include "lib/cpu/mtrr.h"
#include "lib/cpu/speeds.h"
#include "lib/text/fmt.h"

/* --- CPUID ------------------------------------------------------------------------------------ */

#define RANGE_MOST   0x60 /* leaves of a range; the longest known one has 0x2a */
#define SUBLEAF_MOST 32
#define HYPERVISOR   0x40000000u
#define EXTENDED     0x80000000u
#define CENTAUR      0xc0000000u
#define COMPONENTS   62 /* of the extended state: leaf 0Dh has subleaves 2 to 62 */

/* How the subleaves of a leaf end. Intel SDM vol. 2A CPUID, AMD APM vol. 3 appendix E. */
enum subleaves {
    SUBLEAF_ONE,
    SUBLEAF_COUNTED,    /* EAX of subleaf 0 is the last one */
    SUBLEAF_MAPPED,     /* EAX of subleaf 0 has a bit for each */
    SUBLEAF_COMPONENTS, /* 0, 1, and one for each component of the extended state */
    SUBLEAF_EIGHT,      /* 0 to 7; each has a bit in another register of subleaf 0 */
    SUBLEAF_TYPED_5,    /* until EAX[4:0] is 0 */
    SUBLEAF_LEVELS,     /* until ECX[15:8] is 0 */
    SUBLEAF_SECTIONS,   /* 0, 1, and from 2 on until EAX[3:0] is 0 */
    SUBLEAF_TYPED_12,   /* until EAX[11:0] is 0 */
};

static const struct {
    uint32_t leaf;
    enum subleaves ends;
} subleaves[] = {
    {0x4, SUBLEAF_TYPED_5},      {0x7, SUBLEAF_COUNTED},       {0xb, SUBLEAF_LEVELS},
    {0xd, SUBLEAF_COMPONENTS},   {0xf, SUBLEAF_EIGHT},         {0x10, SUBLEAF_EIGHT},
    {0x12, SUBLEAF_SECTIONS},    {0x14, SUBLEAF_COUNTED},      {0x17, SUBLEAF_COUNTED},
    {0x18, SUBLEAF_COUNTED},     {0x1b, SUBLEAF_TYPED_12},     {0x1d, SUBLEAF_COUNTED},
    {0x1e, SUBLEAF_COUNTED},     {0x1f, SUBLEAF_LEVELS},       {0x20, SUBLEAF_COUNTED},
    {0x23, SUBLEAF_MAPPED},      {0x24, SUBLEAF_COUNTED},      {0x8000001d, SUBLEAF_TYPED_5},
    {0x80000020, SUBLEAF_EIGHT}, {0x80000026, SUBLEAF_LEVELS},
};

static enum subleaves ends_of(uint32_t leaf)
{
    for (unsigned i = 0; i < sizeof subleaves / sizeof *subleaves; i++)
        if (subleaves[i].leaf == leaf)
            return subleaves[i].ends;
    return SUBLEAF_ONE;
}

/* Returns whether a subleaf follows this one, which has `now`; subleaf 0 has `zero`. */
static bool goes_on(enum subleaves ends, uint32_t subleaf, struct cpuid_regs now,
                    struct cpuid_regs zero)
{
    switch (ends) {
    case SUBLEAF_COUNTED:
        return subleaf < zero.eax;
    case SUBLEAF_MAPPED:
        return subleaf < 31 && zero.eax >> (subleaf + 1) != 0;
    case SUBLEAF_COMPONENTS:
        return subleaf < COMPONENTS;
    case SUBLEAF_EIGHT:
        return subleaf < 7;
    case SUBLEAF_TYPED_5:
        return (now.eax & 0x1f) != 0;
    case SUBLEAF_LEVELS:
        return (now.ecx & 0xff00) != 0;
    case SUBLEAF_SECTIONS:
        return subleaf < 2 || (now.eax & 0xf) != 0;
    case SUBLEAF_TYPED_12:
        return (now.eax & 0xfff) != 0;
    case SUBLEAF_ONE:
        break;
    }
    return false;
}

static bool is_empty(struct cpuid_regs r)
{
    return (r.eax | r.ebx | r.ecx | r.edx) == 0;
}

static void add(struct recorded_leaves *l, uint32_t leaf, uint32_t subleaf, struct cpuid_regs regs)
{
    if (l->n < RECORDING_LEAVES)
        l->of[l->n++] = (struct recorded_leaf){leaf, subleaf, regs};
}

static void add_leaf(struct recorded_leaves *l, uint32_t leaf, cpuid_fn cpuid, void *ctx)
{
    enum subleaves ends = ends_of(leaf);
    uint32_t most = ends == SUBLEAF_COMPONENTS ? COMPONENTS + 1 : SUBLEAF_MOST;
    struct cpuid_regs zero = cpuid(ctx, leaf, 0), now = zero;

    add(l, leaf, 0, zero);
    for (uint32_t i = 1; i < most && goes_on(ends, i - 1, now, zero); i++) {
        now = cpuid(ctx, leaf, i);
        /* What the CPU lacks is zeros, which an unrecorded leaf is too. */
        if (!is_empty(now))
            add(l, leaf, i, now);
    }
}

static void add_range(struct recorded_leaves *l, uint32_t first, cpuid_fn cpuid, void *ctx)
{
    uint32_t last = cpuid(ctx, first, 0).eax;

    if (last - first >= RANGE_MOST) /* there is no such range, or it is too long */
        last = last < first || last >> 28 != first >> 28 ? first : first + RANGE_MOST - 1;
    for (uint32_t leaf = first; leaf <= last; leaf++)
        add_leaf(l, leaf, cpuid, ctx);
}

void recording_leaves(struct recorded_leaves *l, cpuid_fn cpuid, void *ctx)
{
    l->n = 0;
    add_range(l, 0, cpuid, ctx);
    if (cpuid(ctx, 1, 0).ecx & 1u << 31)
        add_range(l, HYPERVISOR, cpuid, ctx);
    add_range(l, EXTENDED, cpuid, ctx);
    if (cpuid(ctx, CENTAUR, 0).eax >> 16 == CENTAUR >> 16)
        add_range(l, CENTAUR, cpuid, ctx);
}

static const struct recorded_leaf *find(const struct recorded_leaves *l,
                                        const struct recorded_leaf *same)
{
    for (unsigned i = 0; i < l->n; i++)
        if (l->of[i].leaf == same->leaf && l->of[i].subleaf == same->subleaf)
            return &l->of[i];
    return NULL;
}

static void put_leaf(struct sink *out, unsigned cpu, const struct recorded_leaf *at,
                     struct cpuid_regs r)
{
    fmt(out, "cpuid %u %08x %08x %08x %08x %08x %08x\n", cpu, at->leaf, at->subleaf, r.eax, r.ebx,
        r.ecx, r.edx);
}

void recording_cpuid(struct sink *out, unsigned cpu, const struct recorded_leaves *l,
                     const struct recorded_leaves *first)
{
    for (unsigned i = 0; i < l->n; i++) {
        const struct recorded_leaf *of = &l->of[i], *other = first ? find(first, of) : NULL;
        if (!other || other->regs.eax != of->regs.eax || other->regs.ebx != of->regs.ebx ||
            other->regs.ecx != of->regs.ecx || other->regs.edx != of->regs.edx)
            put_leaf(out, cpu, of, of->regs);
    }
    for (unsigned i = 0; first && i < first->n; i++)
        if (!find(l, &first->of[i]))
            put_leaf(out, cpu, &first->of[i], (struct cpuid_regs){0});
}

/* --- MSRs ------------------------------------------------------------------------------------- */

#define MSRS_MOST 256 /* each is recorded once; further ones are not */

struct recorder {
    struct sink *out;
    msr_fn read;
    void *ctx;
    unsigned n;
    uint32_t seen[MSRS_MOST];
};

static bool is_new(struct recorder *r, uint32_t msr)
{
    for (unsigned i = 0; i < r->n; i++)
        if (r->seen[i] == msr)
            return false;
    if (r->n == MSRS_MOST)
        return false;
    r->seen[r->n++] = msr;
    return true;
}

/* A msr_fn that records what it reads. */
static bool read_and_record(void *recorder, uint32_t msr, uint64_t *v)
{
    struct recorder *r = recorder;
    bool good = r->read(r->ctx, msr, v);

    if (!is_new(r, msr))
        return good;
    if (good)
        fmt(r->out, "msr %08x %016llx\n", msr, (unsigned long long)*v);
    else
        fmt(r->out, "msr %08x fault\n", msr);
    return good;
}

static bool write_nothing(void *ctx, uint32_t msr, uint64_t v)
{
    (void)ctx, (void)msr, (void)v;
    return false;
}

/* What the program's decoders read. */
static void decode_all(struct recorder *r, const struct cpu *c, cpuid_fn cpuid, void *ctx)
{
    const struct msr_access access = {r, read_and_record, write_nothing};
    struct options asks;
    struct mitigations mitigations;
    struct controls controls;
    bool known;

    (void)features_lfence_serializing(c, read_and_record, r);
    features_mitigations(&mitigations, c, cpuid, ctx, read_and_record, r);
    (void)tsc_rate_decode(c, cpuid, ctx, read_and_record, r);
    options_default(&asks);
    asks.freq = FREQ_MAX;
    controls_plan(&controls, &asks, c, cpuid, ctx, &access);
    (void)controls_c1e(c, &access, &known);
}

static void read_each(struct recorder *r, uint32_t first, unsigned n, unsigned step)
{
    uint64_t v;

    for (unsigned i = 0; i < n; i++)
        (void)read_and_record(r, first + i * step, &v);
}

/* Sources: Intel SDM vol. 4 table 2-2, vol. 3A section 12.11 and vol. 3B chapter 16; AMD APM vol. 2
 * appendix A. */
static void read_mtrrs(struct recorder *r, const struct cpu *c)
{
    uint64_t cap, v;

    if (!c->mtrr || !read_and_record(r, 0xfe, &cap) || !read_and_record(r, 0x2ff, &v))
        return;
    read_each(r, 0x200, 2 * ((cap & 0xff) < MTRR_VARIABLE_MAX ? cap & 0xff : MTRR_VARIABLE_MAX), 1);
    if (cap & 1u << 8) {
        read_each(r, 0x250, 1, 1);
        read_each(r, 0x258, 2, 1);
        read_each(r, 0x268, 8, 1);
    }
    if (cpu_is_amd(c) && read_and_record(r, 0xc0010010, &v) && v & 1u << 21)
        read_each(r, 0xc001001d, 1, 1);
}

static void read_thermal(struct recorder *r, const struct cpu *c, cpuid_fn cpuid, void *ctx)
{
    struct thermal t;

    thermal_decode(&t, c, cpuid, ctx);
    if (t.scope[THERMAL_CORE].causes)
        read_each(r, MSR_THERM_STATUS, 1, 1);
    if (t.scope[THERMAL_PACKAGE].causes)
        read_each(r, MSR_PACKAGE_THERM_STATUS, 1, 1);
}

/* The counters of core cycles, as lib/cpu/core_counter.c finds them. */
static void read_counters(struct recorder *r, cpuid_fn cpuid, void *ctx)
{
    struct core_counters has;

    core_counters_decode(&has, cpuid, ctx);
    if (has.aperf)
        read_each(r, 0xe7, 2, 1);
    if (has.pmc == COUNTER_FIXED1) {
        read_each(r, 0x309, 2, 1);
        read_each(r, 0x38d, 1, 1);
        read_each(r, 0x38f, 1, 1);
    }
    if (has.pmc == COUNTER_AMD_PMC)
        read_each(r, has.extended ? 0xc0010200 : 0xc0010000, has.count, has.extended ? 2 : 1);
    if (has.pmc == COUNTER_AMD_PMC && has.global)
        read_each(r, 0xc0000301, 1, 1);
}

void recording_msrs(struct sink *out, const struct cpu *c, cpuid_fn cpuid, void *cpuid_ctx,
                    msr_fn rdmsr, void *msr_ctx)
{
    struct recorder r = {.out = out, .read = rdmsr, .ctx = msr_ctx};
    uint64_t cap;

    if (!c->msr)
        return;
    if (c->apic)
        read_each(&r, 0x1b, 1, 1);
    if (features_smi_counter(c))
        read_each(&r, 0x34, 1, 1);
    read_each(&r, 0x3b, 1, 1); /* TSC_ADJUST */
    read_each(&r, 0x8b, 1, 1); /* the revision of the microcode */
    if (c->mce && read_and_record(&r, 0x179, &cap)) {
        read_each(&r, 0x17a, 1, 1);
        read_each(&r, 0x401, (cap & 0xff) < 32 ? cap & 0xff : 32, 4); /* errors that were logged */
    }
    if (c->pat)
        read_each(&r, 0x277, 1, 1);
    read_each(&r, 0xc0000080, 1, 1); /* EFER */
    read_mtrrs(&r, c);
    read_thermal(&r, c, cpuid, cpuid_ctx);
    read_counters(&r, cpuid, cpuid_ctx);
    decode_all(&r, c, cpuid, cpuid_ctx);
}
