#include "lib/cpu/core_counter.h"

const char *const core_counter_names[COUNTER_KINDS] = {"none", "fixed1", "amd_pmc", "aperf"};

/* SDM vol. 4 table 2-2. */
#define FIXED_CTR0       0x309
#define FIXED_CTR_CTRL   0x38d
#define PERF_GLOBAL_CTRL 0x38f
/* SDM vol. 3B figure 20-3: four bits for each fixed counter. */
#define FIXED_OS    1ull
#define FIXED_USER  2ull
#define FIXED_ANY   4ull
#define FIXED_FIELD 0xfull
#define FIXED0_ON   (1ull << 32) /* of PERF_GLOBAL_CTRL: figure 20-4 */
#define FIXED_INDEX (1u << 30)   /* of the argument of RDPMC */
#define CORE2_FIXED 3
#define CORE2_BITS  40

/* APM vol. 2 section 13.2.1; control and count alternate in the extended bank. */
#define AMD_CTL        0xc0010000
#define AMD_CTR        0xc0010004
#define AMD_CTL_EXT    0xc0010200
#define AMD_CTR_EXT    0xc0010201
#define AMD_GLOBAL_CTL 0xc0000301
#define AMD_BITS       48
#define AMD_LEGACY     4
#define AMD_EXTENDED   6
#define AMD_K7         6 /* family */
#define AMD_ENABLE     (1ull << 22)
#define AMD_USR_OS     (1ull << 16 | 1ull << 17)

/* The fixed counter and AMD's event. */
static const struct {
    unsigned fixed;
    uint64_t amd;
} events[COUNT_EVENTS] = {
    [COUNT_CYCLES] = {1, 0x76}, [COUNT_INSTRUCTIONS] = {0, 0xc0}, [COUNT_SMIS] = {0, 0x2b}};

/*
 * SDM vol. 2A CPUID 0Ah: a count from version 2, also a bitmap from version 5. The first Core 2s
 * (version 2) have three of 40 bits but report none (Core 2 specification updates, "CPUID leaf 0AH
 * reports incorrect").
 */
static void decode_fixed(struct core_counters *c, const struct cpu *cpu, cpuid_fn cpuid, void *ctx)
{
    struct cpuid_regs a = cpuid(ctx, 0xa, 0);
    unsigned version = a.eax & 0xff, fixed = a.edx & 0x1f, bits = a.edx >> 5 & 0xff;

    if (version == 2 && fixed == 0 && cpu->vendor == VENDOR_INTEL && !cpu->hypervisor) {
        fixed = CORE2_FIXED;
        bits = CORE2_BITS;
    }
    if (!(version >= 2 && fixed > 1) && !(version >= 5 && a.ecx & 2))
        return;
    c->pmc = COUNTER_FIXED1;
    c->bits = (uint8_t)bits;
}

/* Event 76h is in every BKDG and PPR since K7. A guest has counters only if CPUID reports them:
 * 8000_0001 ECX[23] (PerfCtrExtCore) or 8000_0022 EAX[0] (PerfMonV2). */
static void decode_amd(struct core_counters *c, const struct cpu *cpu, cpuid_fn cpuid, void *ctx)
{
    uint32_t most = cpuid(ctx, 0x80000000, 0).eax;
    struct cpuid_regs v2 = {0};

    if (most >= 0x80000022)
        v2 = cpuid(ctx, 0x80000022, 0);
    bool extended = most >= 0x80000001 && cpuid(ctx, 0x80000001, 0).ecx & 1u << 23;
    bool global = v2.eax & 1;
    if (cpu->family < AMD_K7 || (cpu->hypervisor && !extended && !global))
        return;
    c->pmc = COUNTER_AMD_PMC;
    c->bits = AMD_BITS;
    c->extended = extended;
    c->global = global;
    c->count = c->extended ? AMD_EXTENDED : AMD_LEGACY;
    if (c->global && (v2.ebx & 0xf) != 0)
        c->count = v2.ebx & 0xf;
}

void core_counters_decode(struct core_counters *c, cpuid_fn cpuid, void *ctx)
{
    struct cpu cpu;

    cpu_decode(&cpu, cpuid, ctx);
    *c = (struct core_counters){.guest = cpu.hypervisor, .pmc = COUNTER_NONE};
    if (!cpu.msr)
        return;
    if (cpu.max_leaf >= 6)
        c->aperf = cpuid(ctx, 6, 0).ecx & 1;
    if (cpu_is_amd(&cpu))
        decode_amd(c, &cpu, cpuid, ctx);
    else if (cpu.max_leaf >= 0xa)
        decode_fixed(c, &cpu, cpuid, ctx);
}

/* Remembers an MSR for stop(). */
static bool keep(struct core_counter *c, const struct counter_access *a, uint32_t msr)
{
    if (!msr_keep(&c->step[c->steps], &a->msr, msr))
        return false;
    c->steps++;
    return true;
}

/* Remembers an MSR, and replaces its bits of `mask`. False: it faulted or does not read back. */
static bool change(struct core_counter *c, const struct counter_access *a, uint32_t msr,
                   uint64_t mask, uint64_t bits)
{
    return keep(c, a, msr) && msr_change(&c->step[c->steps - 1], &a->msr, mask, bits);
}

static const char *set_fixed(struct core_counter *c, const struct core_counters *has,
                             enum core_counter_event event, const struct counter_access *a)
{
    uint64_t control, global, on = FIXED0_ON << events[event].fixed;
    unsigned shift = 4 * events[event].fixed;

    if (!a->msr.read(a->msr.ctx, FIXED_CTR_CTRL, &control) ||
        !a->msr.read(a->msr.ctx, PERF_GLOBAL_CTRL, &global))
        return CPU_REFUSES(has->guest, "MSR 38Dh or 38Fh faults");
    c->index = FIXED_INDEX | events[event].fixed;
    uint64_t field = control >> shift & FIXED_FIELD;
    if (global & on && field & (FIXED_OS | FIXED_USER)) {
        /* The measured code runs at ring 0 and its cycles are already counted: only read. */
        bool ours = (field & FIXED_OS) && !(field & FIXED_ANY);
        return ours ? NULL : "in use by the firmware (MSR 38Dh, 38Fh)";
    }
    if (!keep(c, a, FIXED_CTR0 + events[event].fixed) ||
        !change(c, a, FIXED_CTR_CTRL, FIXED_FIELD << shift, (FIXED_OS | FIXED_USER) << shift) ||
        !change(c, a, PERF_GLOBAL_CTRL, on, on))
        return CPU_REFUSES(has->guest, "MSR 38Dh or 38Fh cannot be written");
    return NULL;
}

static const char *set_amd(struct core_counter *c, const struct core_counters *has,
                           enum core_counter_event event, const struct counter_access *a)
{
    for (unsigned i = 0; i < has->count; i++) {
        uint32_t control = has->extended ? AMD_CTL_EXT + 2 * i : AMD_CTL + i;
        uint32_t count = has->extended ? AMD_CTR_EXT + 2 * i : AMD_CTR + i;
        uint64_t now;
        if (!a->msr.read(a->msr.ctx, control, &now))
            return CPU_REFUSES(has->guest, "its control MSR faults");
        if (now & AMD_ENABLE)
            continue;
        c->index = i;
        if (!keep(c, a, count) ||
            !change(c, a, control, ~0ull, events[event].amd | AMD_USR_OS | AMD_ENABLE) ||
            (has->global && !change(c, a, AMD_GLOBAL_CTL, 1ull << i, 1ull << i)))
            return CPU_REFUSES(has->guest, "its control MSR cannot be written");
        return NULL;
    }
    return "all in use by the firmware (PERF_CTL's enable bits)";
}

const char *core_counter_prove(bool guest, const uint64_t *counted)
{
    bool moved = false;

    for (unsigned i = 0; i < COUNTER_PROOF_TRIES; i++) {
        moved = moved || counted[i] != 0;
        if (counted[i] >= COUNTER_PROOF_ADDS / 10 * 9 && counted[i] <= COUNTER_PROOF_ADDS / 4 * 5)
            return NULL;
    }
    return moved ? "counts, but not core cycles: it is wrong for a chain of additions"
                 : CPU_REFUSES(guest, "does not count");
}

static const char *prove_counter(const struct core_counter *c, const struct core_counters *has,
                                 const struct counter_access *a)
{
    uint64_t counted[COUNTER_PROOF_TRIES];

    for (unsigned i = 0; i < COUNTER_PROOF_TRIES; i++) {
        uint64_t from, to;
        if (!core_counter_read(c, a, &from))
            return CPU_REFUSES(has->guest, "RDPMC faults");
        a->chain(a->ctx, COUNTER_PROOF_ADDS);
        if (!core_counter_read(c, a, &to))
            return CPU_REFUSES(has->guest, "RDPMC faults");
        counted[i] = (to - from) & ((1ull << c->bits) - 1);
    }
    return core_counter_prove(has->guest, counted);
}

const char *core_counter_start(struct core_counter *c, const struct core_counters *has,
                               enum core_counter_event event, const struct counter_access *a)
{
    const char *why = core_counter_absent(has);

    *c = (struct core_counter){.bits = has->bits};
    if (!why && event == COUNT_SMIS && has->pmc != COUNTER_AMD_PMC)
        why = "no counter of this CPU counts SMIs";
    if (why)
        return why;
    why = has->pmc == COUNTER_FIXED1 ? set_fixed(c, has, event, a) : set_amd(c, has, event, a);
    if (!why && event != COUNT_SMIS)
        why = prove_counter(c, has, a);
    if (why && !core_counter_stop(c, a))
        why = "was refused, and its MSRs do not read back as they were found";
    return why;
}

bool core_counter_read(const struct core_counter *c, const struct counter_access *a,
                       uint64_t *count)
{
    return a->rdpmc(a->ctx, c->index, count);
}

bool core_counter_stop(struct core_counter *c, const struct counter_access *a)
{
    bool same = true;

    while (c->steps > 0)
        same = msr_put_back(&c->step[--c->steps], &a->msr) && same;
    return same;
}

/* --- APERF and MPERF -------------------------------------------------------------------------- */

#define MPERF 0xe7 /* SDM vol. 4 table 2-2; AMD uses the same numbers */
#define APERF 0xe8

#define LOOKS  16 /* readings at the start, to learn how long one takes */
#define TORN   4  /* a reading that takes this many times as long is discarded */
#define FORGET 8  /* readings over which the usual time is averaged */

#define BUSY_ADDS 10000
#define BUSY_MOST 100000

/* Reads both registers between two readings of the TSC. False: one faults. */
static bool look(struct aperf *now, const struct counter_access *a)
{
    now->tsc = a->tsc(a->ctx);
    if (!a->msr.read(a->msr.ctx, APERF, &now->aperf) ||
        !a->msr.read(a->msr.ctx, MPERF, &now->mperf))
        return false;
    now->apart = a->tsc(a->ctx) - now->tsc;
    return true;
}

/* t * a / m, rounded; loses at most the last of 32 bits of precision. */
static uint64_t scaled(uint64_t t, uint64_t a, uint64_t m)
{
    unsigned shift = 0;

    for (; (a | m) >> 31; a >>= 1)
        m >>= 1;
    for (; t >> 32; t >>= 1)
        shift++;
    if (m == 0)
        m = 1; /* the values are unrelated: not a CPU's registers */
    return (t * a + m / 2) / m << shift;
}

enum aperf_status aperf_read(struct aperf *p, const struct counter_access *a, uint64_t *cycles)
{
    struct aperf now;

    if (!look(&now, a))
        return APERF_FAILED;
    if (now.apart > p->apart) {
        p->apart += p->apart / FORGET; /* a slower core reads more slowly from now on */
        return APERF_AGAIN;
    }
    if (now.mperf == p->mperf)
        return APERF_AGAIN;
    p->apart += TORN * now.apart / FORGET - p->apart / FORGET;
    /* The counts are 64 bits wide and wrap: differences are modulo 2^64. */
    p->cycles += scaled(now.tsc - p->tsc, now.aperf - p->aperf, now.mperf - p->mperf);
    p->tsc = now.tsc;
    p->aperf = now.aperf;
    p->mperf = now.mperf;
    *cycles = p->cycles;
    return APERF_OK;
}

/* Tries up to LOOKS times for a valid reading. */
static enum aperf_status read_patiently(struct aperf *p, const struct counter_access *a,
                                        uint64_t *cycles)
{
    enum aperf_status status = APERF_AGAIN;

    for (unsigned i = 0; i < LOOKS && status == APERF_AGAIN; i++)
        status = aperf_read(p, a, cycles);
    return status;
}

static const char *prove_aperf(struct aperf *p, const struct core_counters *has,
                               const struct counter_access *a)
{
    uint64_t counted[COUNTER_PROOF_TRIES];

    for (unsigned i = 0; i < COUNTER_PROOF_TRIES; i++) {
        uint64_t from, to = 0;
        if (read_patiently(p, a, &from) != APERF_OK)
            return CPU_REFUSES(has->guest, "MPERF does not advance");
        a->chain(a->ctx, COUNTER_PROOF_ADDS);
        counted[i] = read_patiently(p, a, &to) == APERF_OK ? to - from : 0;
    }
    return core_counter_prove(has->guest, counted);
}

const char *aperf_start(struct aperf *p, const struct core_counters *has,
                        const struct counter_access *a)
{
    const char *why = aperf_absent(has);

    if (why)
        return why;
    *p = (struct aperf){.apart = UINT64_MAX};
    for (unsigned i = 0; i < LOOKS; i++) {
        struct aperf now;
        if (!look(&now, a))
            return CPU_REFUSES(has->guest, "MSR E7h or E8h faults");
        uint64_t apart = p->apart < now.apart ? p->apart : now.apart;
        *p = now;
        p->apart = apart;
        p->cycles = 0;
    }
    p->apart *= TORN;
    return prove_aperf(p, has, a);
}

/* The closest of some readings: an SMI may come between the registers. False: one faults. */
static bool look_closely(struct aperf *best, const struct counter_access *a)
{
    struct aperf now;

    *best = (struct aperf){.apart = UINT64_MAX};
    for (unsigned i = 0; i < LOOKS; i++) {
        if (!look(&now, a))
            return false;
        if (now.apart < best->apart)
            *best = now;
    }
    return true;
}

/* Bounded also if the TSC stands still. */
static void be_busy(const struct counter_access *a, uint64_t ticks)
{
    uint64_t began = a->tsc(a->ctx);

    for (unsigned i = 0; i < BUSY_MOST && a->tsc(a->ctx) - began < ticks; i++)
        a->chain(a->ctx, BUSY_ADDS);
}

const char *aperf_busy(struct aperf_grown *grown, const struct core_counters *has,
                       const struct counter_access *a, uint64_t ticks)
{
    const char *why = aperf_absent(has);
    struct aperf from, to;

    if (why)
        return why;
    be_busy(a, ticks);
    if (!look_closely(&from, a))
        return CPU_REFUSES(has->guest, "MSR E7h or E8h faults");
    be_busy(a, ticks);
    if (!look_closely(&to, a))
        return CPU_REFUSES(has->guest, "MSR E7h or E8h faults");
    *grown = (struct aperf_grown){to.aperf - from.aperf, to.mperf - from.mperf};
    return grown->mperf == 0 ? CPU_REFUSES(has->guest, "MPERF does not advance") : NULL;
}
