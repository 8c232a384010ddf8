#include "lib/cpu/controls.h"
#include "lib/text/fmt.h"

/* Intel: SDM vol. 4. */
#define IA32_MISC_ENABLE      0x1a0
#define MISC_ENABLE_SPEEDSTEP (1ull << 16)
#define MISC_ENABLE_TURBO_OFF (1ull << 38)
/* Core 2, table 2-3: hardware, adjacent line, DCU and IP prefetcher. */
#define MISC_ENABLE_PREFETCH (1ull << 9 | 1ull << 19 | 1ull << 37 | 1ull << 39)
#define MISC_FEATURE_CONTROL 0x1a4
#define FEATURE_FOUR         0xf /* L2, L2 adjacent line, DCU, DCU IP */
#define FEATURE_TWO          0x5 /* L2, DCU */
#define IA32_PERF_CTL        0x199
#define IA32_PERF_STATUS     0x198
#define PERF_CTL_TARGET      0xffffull
#define PLATFORM_INFO        0xce  /* bits 15:8: the base clock's ratio */
#define TURBO_RATIO_LIMIT    0x1ad /* bits 7:0: with one core active */
#define POWER_CTL            0x1fc
#define POWER_CTL_C1E        (1ull << 1)
#define IA32_PM_ENABLE       0x770
#define IA32_HWP_CAPS        0x771
#define IA32_HWP_REQUEST     0x774
#define HWP_PACKAGE          (1ull << 42)

/* AMD. */
#define HWCR            0xc0010015
#define HWCR_CPB_OFF    (1ull << 25)
#define PSTATE_LIMIT    0xc0010061
#define PSTATE_CONTROL  0xc0010062
#define PSTATE_STATUS   0xc0010063
#define PSTATE_FIELD    7ull
#define CPPC_CAPS       0xc00102b0
#define CPPC_ENABLE     0xc00102b1
#define CPPC_REQUEST    0xc00102b3
#define PREFETCH_AMD    0xc0000108
#define PREFETCH_AMD_IS 0x2f /* L1 stream, stride and region, L2 stream; bit 5: L2 up/down */

#define LEVELS     0xffffffull   /* lowest, highest, desired, one byte each */
#define PREFERENCE 0xff000000ull /* energy performance preference; 0 is performance */

const char *const control_names[CONTROL_IDS] = {
    [CONTROL_TURBO] = "turbo", [CONTROL_PREFETCH] = "prefetch", [CONTROL_FREQ] = "freq"};

static const char NOT_KNOWN[] = "its control is not known for this model";

static uint32_t leaf6(const struct cpu *c, cpuid_fn cpuid, void *ctx)
{
    return c->max_leaf >= 6 ? cpuid(ctx, 6, 0).eax : 0;
}

static struct cpuid_regs extended(const struct cpu *c, uint32_t leaf, cpuid_fn cpuid, void *ctx)
{
    return c->max_ext_leaf >= leaf ? cpuid(ctx, leaf, 0) : (struct cpuid_regs){0};
}

static uint64_t read(const struct msr_access *a, uint32_t msr)
{
    uint64_t v;

    return a->read(a->ctx, msr, &v) ? v : 0;
}

static struct control none(const char *why_not)
{
    return (struct control){.why_not = why_not};
}

static struct control disabling(const char *control, uint32_t msr, uint64_t mask)
{
    return (struct control){.control = control, .msr = msr, .mask = mask, .wanted = mask};
}

/* --- turbo, prefetchers ----------------------------------------------------------------------- */

static struct control turbo_intel(uint32_t power, const struct cpu *c, const struct msr_access *a)
{
    /* With bit 38 set, CPUID hides that the CPU has turbo (table 2-2). */
    if (c->family != 6 || (!(power & 2) && !(read(a, IA32_MISC_ENABLE) & MISC_ENABLE_TURBO_OFF)))
        return none("no turbo (CPUID 6 EAX[1])");
    return disabling("IA32_MISC_ENABLE[38]", IA32_MISC_ENABLE, MISC_ENABLE_TURBO_OFF);
}

static struct control turbo(const struct cpu *c, cpuid_fn cpuid, void *ctx,
                            const struct msr_access *a)
{
    if (c->vendor == VENDOR_INTEL)
        return turbo_intel(leaf6(c, cpuid, ctx), c, a);
    if (!cpu_is_amd(c))
        return none(NOT_KNOWN);
    if (!(extended(c, 0x80000007, cpuid, ctx).edx & 1u << 9))
        return none("no core performance boost (CPUID 8000_0007 EDX[9])");
    return disabling("HWCR[25]", HWCR, HWCR_CPB_OFF);
}

/* Leaf 1Ah EAX[31:24]: 20h is an Atom core, whose bits differ from those of the big cores. */
static bool is_efficiency_core(const struct cpu *c, cpuid_fn cpuid, void *ctx)
{
    return c->max_leaf >= 0x1a && cpuid(ctx, 0x1a, 0).eax >> 24 == 0x20;
}

static struct control prefetch(const struct cpu *c, cpuid_fn cpuid, void *ctx)
{
    if (cpu_is_amd(c)) {
        if (!(extended(c, 0x80000021, cpuid, ctx).eax & 1u << 13))
            return none("no prefetch control (CPUID 8000_0021 EAX[13])");
        return disabling("PrefetchControl", PREFETCH_AMD, PREFETCH_AMD_IS);
    }
    switch (cpu_model(c)->prefetch) {
    case PREFETCH_MISC_ENABLE:
        return disabling("IA32_MISC_ENABLE[9,19,37,39]", IA32_MISC_ENABLE, MISC_ENABLE_PREFETCH);
    case PREFETCH_TWO:
        return disabling("MISC_FEATURE_CONTROL[0,2]", MISC_FEATURE_CONTROL, FEATURE_TWO);
    case PREFETCH_FOUR:
        if (!is_efficiency_core(c, cpuid, ctx))
            return disabling("MISC_FEATURE_CONTROL[3:0]", MISC_FEATURE_CONTROL, FEATURE_FOUR);
        break;
    case PREFETCH_NOT_KNOWN:
        break;
    }
    return none(NOT_KNOWN);
}

/* --- the P-state ------------------------------------------------------------------------------ */

/* Lowest, highest and desired level are the same, which leaves no choice. */
static struct control levels(const char *control, uint32_t msr, uint64_t level,
                             enum control_form form)
{
    struct control s = {.control = control, .msr = msr, .mask = LEVELS, .form = form};

    s.wanted = level | level << 8 | level << 16;
    if (level == 0)
        s.why_not = "its capabilities name no such level";
    return s;
}

static struct control freq_hwp(uint32_t power, bool highest, const struct msr_access *a)
{
    uint64_t caps = read(a, IA32_HWP_CAPS);
    struct control s = levels("IA32_HWP_REQUEST", IA32_HWP_REQUEST,
                              (highest ? caps : caps >> 8) & 0xff, CONTROL_HWP);

    if (power & 1u << 10)
        s.mask |= PREFERENCE;
    if (power & 1u << 11)
        s.mask |= HWP_PACKAGE; /* this request applies, not the package's */
    return s;
}

static struct control freq_intel(bool highest, const struct cpu *c, cpuid_fn cpuid, void *ctx,
                                 const struct msr_access *a)
{
    uint32_t power = leaf6(c, cpuid, ctx);

    /* Once on, HWP stays on until the next reset, so this program does not enable it. */
    if (power & 1u << 7 && read(a, IA32_PM_ENABLE) & 1)
        return freq_hwp(power, highest, a);
    if (!(cpuid(ctx, 1, 0).ecx & 1u << 7))
        return none("no SpeedStep (CPUID 1 ECX[7])");
    if (!cpu_model(c)->nehalem_power)
        return none(NOT_KNOWN);
    if (!(read(a, IA32_MISC_ENABLE) & MISC_ENABLE_SPEEDSTEP))
        return none("the firmware switched SpeedStep off (IA32_MISC_ENABLE[16])");
    uint64_t base = read(a, PLATFORM_INFO) >> 8 & 0xff;
    uint64_t most = highest ? read(a, TURBO_RATIO_LIMIT) & 0xff : 0;
    struct control s = {.control = "IA32_PERF_CTL",
                        .msr = IA32_PERF_CTL,
                        .mask = PERF_CTL_TARGET,
                        .form = CONTROL_RATIO,
                        .status = IA32_PERF_STATUS};
    s.base = (uint8_t)base;
    s.ratio = (uint8_t)(most > base ? most : base);
    s.wanted = (uint64_t)s.ratio << 8;
    if (base == 0)
        s.why_not = "MSR_PLATFORM_INFO names no base clock";
    /* Nehalem and Westmere, and only they count in 133 MHz; the register may hold 0. */
    if (cpu_model(c)->tsc_way == TSC_WAY_RATIO_133) {
        s.form = CONTROL_RATIO_0;
        s.wanted = s.ratio;
    }
    return s;
}

static struct control freq_amd(bool highest, const struct cpu *c, cpuid_fn cpuid, void *ctx,
                               const struct msr_access *a)
{
    /* Once on, this too stays on until the next reset. */
    if (extended(c, 0x80000008, cpuid, ctx).ebx & 1u << 27 && read(a, CPPC_ENABLE) & 1) {
        uint64_t caps = read(a, CPPC_CAPS);
        struct control s = levels("CPPC_REQUEST", CPPC_REQUEST,
                                  (highest ? caps >> 24 : caps >> 16) & 0xff, CONTROL_CPPC);
        s.mask |= PREFERENCE;
        return s;
    }
    if (!(extended(c, 0x80000007, cpuid, ctx).edx & 1u << 7))
        return none("no P-states (CPUID 8000_0007 EDX[7])");
    struct control s = {.control = "PStateCmd",
                        .msr = PSTATE_CONTROL,
                        .mask = PSTATE_FIELD,
                        .form = CONTROL_PSTATE,
                        .wanted = read(a, PSTATE_LIMIT) & PSTATE_FIELD,
                        .status = PSTATE_STATUS};
    /* MPERF has the clock of P0 (APM vol. 2 17.3). */
    s.ratio = s.base = !highest && s.wanted == 0;
    return s;
}

/* --- all of them ------------------------------------------------------------------------------ */

static bool read_now(const struct control *s, const struct msr_access *a, uint64_t *value)
{
    bool good = a->read(a->ctx, s->msr, value);

    *value &= s->mask;
    return good;
}

static void find(struct control *s, bool guest, const struct msr_access *a)
{
    if (s->control && !read_now(s, a, &s->found))
        *s = none(CPU_REFUSES(guest, "its MSR faults"));
    s->now = s->found;
}

void controls_plan(struct controls *q, const struct options *o, const struct cpu *c, cpuid_fn cpuid,
                   void *ctx, const struct msr_access *a)
{
    struct control *t = &q->of[CONTROL_TURBO], *f = &q->of[CONTROL_FREQ];
    bool highest = o->freq == FREQ_MAX && o->turbo == SETTING_KEEP;

    *q = (struct controls){.guest = c->hypervisor};
    for (unsigned i = 0; i < CONTROL_IDS; i++)
        q->of[i] = none("no MSRs (CPUID 1 EDX[5])");
    if (c->msr) {
        *t = turbo(c, cpuid, ctx, a);
        q->of[CONTROL_PREFETCH] = prefetch(c, cpuid, ctx);
        *f = c->vendor == VENDOR_INTEL ? freq_intel(highest, c, cpuid, ctx, a)
             : cpu_is_amd(c)           ? freq_amd(highest, c, cpuid, ctx, a)
                                       : none(NOT_KNOWN);
    }
    for (unsigned i = 0; i < CONTROL_IDS; i++)
        find(&q->of[i], q->guest, a);
    f->asked = o->freq != FREQ_KEEP;
    q->of[CONTROL_PREFETCH].asked = o->prefetch == SETTING_OFF;
    /* AMD's boost raises P0 itself above the base clock. */
    t->asked = o->turbo == SETTING_OFF ||
               (o->freq == FREQ_BASE && f->control && f->form == CONTROL_PSTATE && t->control);
}

static const char *resists(const struct controls *q)
{
    return q->guest ? "was written, but does not read back: the hypervisor prevents the change"
                    : "was written, but does not read back: the firmware may have locked it";
}

static void apply(struct controls *q, struct control *s, const struct msr_access *a)
{
    struct msr_kept *k = &q->kept[q->keeps];

    if (!s->asked || !s->control || s->why_not)
        return;
    bool done = s->found == s->wanted;
    if (!done && msr_keep(k, a, s->msr)) {
        q->keeps++;
        done = msr_change(k, a, s->mask, s->wanted);
    }
    s->in_force = read_now(s, a, &s->now) && done && s->now == s->wanted;
    if (!s->in_force)
        s->why_not = resists(q);
}

void controls_apply(struct controls *q, const struct msr_access *a)
{
    for (unsigned i = 0; i < CONTROL_IDS; i++)
        apply(q, &q->of[i], a);
}

const char *controls_prefetch_off(struct controls *q, const struct msr_access *a)
{
    struct control *s = &q->of[CONTROL_PREFETCH];
    struct msr_kept *k = &q->kept[q->keeps];

    if (!s->control || s->why_not)
        return s->why_not;
    if (s->now == s->wanted)
        return NULL;
    if (!msr_keep(k, a, s->msr))
        return CPU_REFUSES(q->guest, "its MSR faults");
    q->keeps++;
    q->lent = true;
    bool done = msr_change(k, a, s->mask, s->wanted);
    if (read_now(s, a, &s->now) && done && s->now == s->wanted)
        return NULL;
    return controls_prefetch_back(q, a) ? resists(q) : "its MSR does not read back as it was found";
}

bool controls_prefetch_back(struct controls *q, const struct msr_access *a)
{
    struct control *s = &q->of[CONTROL_PREFETCH];

    if (!q->lent)
        return true;
    q->lent = false;
    bool same = msr_put_back(&q->kept[--q->keeps], a);
    return read_now(s, a, &s->now) && same;
}

bool controls_restore(struct controls *q, const struct msr_access *a)
{
    bool same = true;

    q->lent = false;
    while (q->keeps > 0)
        same = msr_put_back(&q->kept[--q->keeps], a) && same;
    return same;
}

void control_text(const struct control *s, uint64_t value, struct sink *out)
{
    unsigned low = value & 0xff, high = value >> 8 & 0xff;

    switch (s->form) {
    case CONTROL_DISABLES:
        fmt(out, value == s->mask ? "off" : value == 0 ? "on" : "partly off");
        break;
    case CONTROL_RATIO:
        fmt(out, "ratio %u", high);
        break;
    case CONTROL_RATIO_0:
        fmt(out, "ratio %u", low);
        break;
    case CONTROL_PSTATE:
        fmt(out, "P%u", low);
        break;
    case CONTROL_HWP:
        fmt(out, "level %u to %u", low, high);
        break;
    case CONTROL_CPPC:
        fmt(out, "level %u to %u", high, low);
        break;
    }
}

bool controls_status(const struct control *s, const struct cpu *c, const struct msr_access *a,
                     uint64_t *value)
{
    if (!s->status || c->hypervisor || !a->read(a->ctx, s->status, value))
        return false;
    *value &= s->mask;
    return true;
}

bool controls_c1e(const struct cpu *c, const struct msr_access *a, bool *known)
{
    uint64_t v;

    *known =
        c->msr && !c->hypervisor && cpu_model(c)->nehalem_power && a->read(a->ctx, POWER_CTL, &v);
    return *known && v & POWER_CTL_C1E;
}
