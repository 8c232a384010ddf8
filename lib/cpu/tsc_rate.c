#include "lib/cpu/tsc_rate.h"
#include <stddef.h>
#include "lib/text/str.h"

const char *const tsc_rate_source_names[TSC_RATE_SOURCES] = {
    [TSC_RATE_NONE] = "calibrate",
    [TSC_RATE_CPUID] = "cpuid_15h",
    [TSC_RATE_CRYSTAL] = "cpuid_15h_model_crystal",
    [TSC_RATE_HYPERVISOR] = "hypervisor",
    [TSC_RATE_PLATFORM_INFO] = "msr_platform_info",
    [TSC_RATE_FSB] = "msr_fsb_freq",
    [TSC_RATE_EBC] = "msr_ebc_frequency_id",
    [TSC_RATE_PSTATE0] = "msr_pstate_base",
    [TSC_RATE_FIDVID] = "msr_fidvid_status",
};

/* The first TSC, the Pentium's, had 60 MHz; emulated ones may be slower, but state no rate. */
#define STATED_HZ_MIN 50000000

/* A value outside this range is a field with another meaning. */
static bool plausible(uint64_t hz)
{
    return hz >= STATED_HZ_MIN && hz <= TSC_HZ_MAX;
}

/*
 * Leaf 4000_0010 EAX: the TSC in kHz (VMware, "Timing information"; QEMU's vmware-cpuid-freq
 * provides it to KVM guests). Hyper-V: MSR 4000_0022 in Hz, if leaf 4000_0003 EAX[11] allows
 * reading it (Hypervisor Top Level Functional Specification, "Partition Reference Time").
 */
static uint64_t hypervisor_hz(const struct cpu *c, cpuid_fn cpuid, void *cpuid_ctx, msr_fn rdmsr,
                              void *msr_ctx)
{
    uint32_t max = cpuid(cpuid_ctx, 0x40000000, 0).eax;
    uint64_t hz;
    bool timing = str_eq(c->hypervisor_id, "VMwareVMware") || str_eq(c->hypervisor_id, "KVMKVMKVM");

    if (timing && max >= 0x40000010 && max <= 0x4000ffff)
        return (uint64_t)cpuid(cpuid_ctx, 0x40000010, 0).eax * 1000;
    if (str_eq(c->hypervisor_id, "Microsoft Hv") && max >= 0x40000003 && rdmsr != NULL &&
        (cpuid(cpuid_ctx, 0x40000003, 0).eax >> 11 & 1) && rdmsr(msr_ctx, 0x40000022, &hz))
        return hz;
    return 0;
}

static struct tsc_rate state(uint64_t hz, enum tsc_rate_source source)
{
    if (!plausible(hz))
        return (struct tsc_rate){0, TSC_RATE_NONE};
    return (struct tsc_rate){hz, source};
}

/* Where MSRs of real machines are read. */
struct source {
    const struct cpu *c;
    msr_fn rdmsr;
    void *ctx;
};

/* --- AMD -------------------------------------------------------------------------------------- */

/*
 * The TSC counts at the frequency of P-state 0 if MSRC001_0015[24] (HWCR, TscFreqSel) is set:
 * "HWCR" and "P-state [7:0]" in the BKDGs and PPRs that lib/cpu/models.c names.
 */
#define MSR_HWCR          0xc0010015
#define MSR_FIDVID_STATUS 0xc0010042
#define MSR_PSTATE_LIMIT  0xc0010061
#define MSR_PSTATE_0      0xc0010064

#define HWCR_TSC_AT_P0 (1ull << 24)
#define PSTATE_ENABLED (1ull << 63)

static const uint64_t mhz = 1000000;

/* Family 12h's divisors in halves: MSRC001_0064[CpuDid]; 0 is reserved. */
static const uint8_t halves_12h[16] = {2, 3, 4, 6, 8, 12, 16, 24, 32};

/* Returns the frequency of a P-state register; 0 if a field is reserved or no P-state is used. */
static uint64_t pstate_hz(enum tsc_way way, uint64_t v)
{
    uint64_t fid = v & 0x3f, did = v >> 6 & 7;

    switch (way) {
    case TSC_WAY_PSTATE_10H:
        return did <= 4 ? 100 * mhz * (fid + 0x10) >> did : 0;
    case TSC_WAY_PSTATE_11H:
        return did <= 4 ? 100 * mhz * (fid + 8) >> did : 0;
    case TSC_WAY_PSTATE_12H:
        fid = v >> 4 & 0x1f;
        did = halves_12h[v & 0xf];
        return did != 0 ? 200 * mhz * (fid + 0x10) / did : 0;
    case TSC_WAY_PSTATE_17H:
        fid = v & 0xff;
        did = v >> 8 & 0x3f; /* in eighths; below 8 is off or reserved */
        return did >= 8 ? 200 * mhz * fid / did : 0;
    case TSC_WAY_PSTATE_1AH:
        return 5 * mhz * (v & 0xfff);
    default: /* Intel, or no P-state */
        return 0;
    }
}

/*
 * Families 10h to 16h count the boost states among the MSRs, before the software's P-state 0. PCI
 * configuration space has their number. But software numbers the last state MSRC001_0061[6:4]
 * (PstateMaxVal), so the surplus of enabled states is boost. CPUID 8000_0007 EDX[9] (CPB) must
 * agree on whether there is any.
 */
static bool boost_states(const struct source *s, bool boosts, uint32_t *boost)
{
    uint64_t limit, v;
    uint32_t enabled = 0;

    if (!s->rdmsr(s->ctx, MSR_PSTATE_LIMIT, &limit))
        return false;
    while (enabled < 8 && s->rdmsr(s->ctx, MSR_PSTATE_0 + enabled, &v) && (v & PSTATE_ENABLED))
        enabled++;
    uint32_t software = (uint32_t)(limit >> 4 & 7) + 1;
    if (enabled < software)
        return false;
    *boost = enabled - software;
    return (*boost > 0) == boosts;
}

static uint64_t base_hz(const struct source *s, bool boosts)
{
    uint64_t hwcr, v;
    uint32_t boost = 0;

    if (!s->rdmsr(s->ctx, MSR_HWCR, &hwcr) || !(hwcr & HWCR_TSC_AT_P0))
        return 0;
    if (cpu_model(s->c)->boost_is_p0 && !boost_states(s, boosts, &boost))
        return 0;
    if (!s->rdmsr(s->ctx, MSR_PSTATE_0 + boost, &v) || !(v & PSTATE_ENABLED))
        return 0;
    return pstate_hz(cpu_model(s->c)->tsc_way, v);
}

/* K8 (BKDG 26094): CurrFID, MSRC001_0042[5:0], in steps of 100 MHz from 800; the TSC follows it. */
static uint64_t fidvid_hz(const struct source *s)
{
    uint64_t v;

    return s->rdmsr(s->ctx, MSR_FIDVID_STATUS, &v) ? 800 * mhz + (v & 0x3f) * 100 * mhz : 0;
}

static struct tsc_rate amd_rate(const struct source *s, cpuid_fn cpuid, void *ctx)
{
    const enum tsc_way way = cpu_model(s->c)->tsc_way;
    bool boosts = s->c->max_ext_leaf >= 0x80000007 && (cpuid(ctx, 0x80000007, 0).edx >> 9 & 1);

    if (way == TSC_WAY_FIDVID)
        return (struct tsc_rate){fidvid_hz(s), TSC_RATE_FIDVID};
    return (struct tsc_rate){base_hz(s, boosts), TSC_RATE_PSTATE0};
}

/* --- Intel ------------------------------------------------------------------------------------ */

/*
 * SDM vol. 3B section 18.17 "Time-Stamp Counter" and 19.7.3, vol. 4 for the MSRs.
 * lib/cpu/models.c has the way for each model.
 */
#define MSR_PLATFORM_ID   0x17
#define MSR_EBC_FREQUENCY 0x2c
#define MSR_FSB_FREQ      0xcd
#define MSR_PLATFORM_INFO 0xce
#define MSR_PERF_STATUS   0x198

/* A bus clock: num/den times 100 MHz; num is 0 for a reserved code. */
struct bus {
    uint8_t num, den;
};

/* MSR_FSB_FREQ by its code (vol. 4): Core microarchitecture, Bonnell, Silvermont, Airmont; and
 * MSR_EBC_FREQUENCY_ID, Netburst from model 3 on. */
static const struct bus bus_core2[8] = {{8, 3}, {4, 3}, {2, 1}, {5, 3}, {10, 3}, {1, 1}, {4, 1}};
static const struct bus bus_bonnell[8] = {[1] = {4, 3}, [3] = {5, 3}, [5] = {1, 1}, [7] = {5, 6}};
static const struct bus bus_silvermont[8] = {{5, 6}, {1, 1}, {4, 3}, {7, 6}, {4, 5}};
static const struct bus bus_airmont[16] = {{5, 6},   {1, 1},  {4, 3}, {7, 6}, {4, 5},
                                           {14, 15}, {9, 10}, {8, 9}, {7, 8}};
static const struct bus bus_netburst[8] = {{8, 3}, {4, 3}, {2, 1}, {5, 3}, {10, 3}};

static uint64_t msr(const struct source *s, uint32_t address)
{
    uint64_t v;

    return s->rdmsr(s->ctx, address, &v) ? v : 0;
}

/* Returns the ratio of leaf 15h times a crystal; 0 if the nominal frequency is more than 1% away,
 * which means another crystal. Nominal frequencies are rounded to 100 MHz, or to a crystal of 100
 * MHz. */
static uint64_t by_crystal(const struct source *s, uint64_t crystal)
{
    const struct cpu *c = s->c;
    uint64_t nominal = c->tsc_nominal_hz;

    if (nominal == 0)
        nominal = (msr(s, MSR_PLATFORM_INFO) >> 8 & 0xff) * 100000000;
    if (c->tsc_ratio_den == 0)
        return 0;
    uint64_t hz = (crystal * c->tsc_ratio_num + c->tsc_ratio_den / 2) / c->tsc_ratio_den;
    uint64_t off = hz > nominal ? hz - nominal : nominal - hz;
    return off <= nominal / 100 ? hz : 0;
}

/* Returns half a bus clock times `halves`. */
static uint64_t times(struct bus bus, uint64_t halves)
{
    return bus.num != 0 ? (100000000 * bus.num * halves + bus.den) / (2 * bus.den) : 0;
}

/* MSR_PLATFORM_INFO[15:8], "Maximum Non-Turbo Ratio", is the TSC's. */
static uint64_t by_ratio(const struct source *s, struct bus bus)
{
    return times(bus, 2 * (msr(s, MSR_PLATFORM_INFO) >> 8 & 0xff));
}

static uint64_t by_fsb_and_ratio(const struct source *s, const struct bus *bus, unsigned mask)
{
    uint64_t v;

    return s->rdmsr(s->ctx, MSR_FSB_FREQ, &v) ? by_ratio(s, bus[v & mask]) : 0;
}

/*
 * SDM vol. 3B 19.7.3: with XE operation (MSR_PERF_STATUS[31]) the maximum resolved bus ratio is
 * MSR_PERF_STATUS[44:40], without it MSR_PLATFORM_ID[12:8]. [46] adds a half. If the two differ
 * without XE, neither is used.
 */
static uint64_t by_fsb_and_maximum(const struct source *s, const struct bus *bus)
{
    uint64_t fsb, status, id;

    if (!s->rdmsr(s->ctx, MSR_FSB_FREQ, &fsb) || !s->rdmsr(s->ctx, MSR_PERF_STATUS, &status))
        return 0;
    bool xe = status >> 31 & 1;
    uint64_t ratio = status >> 40 & 0x1f, half = status >> 46 & 1;
    if (!xe && (!s->rdmsr(s->ctx, MSR_PLATFORM_ID, &id) || (id >> 8 & 0x1f) != ratio))
        return 0;
    return times(bus[fsb & 7], 2 * ratio + half);
}

/* MSR_EBC_FREQUENCY_ID of family Fh: [31:24] ratio, [18:16] bus clock. */
static uint64_t by_ebc(const struct source *s)
{
    uint64_t v;

    return s->rdmsr(s->ctx, MSR_EBC_FREQUENCY, &v)
               ? times(bus_netburst[v >> 16 & 7], 2 * (v >> 24 & 0xff))
               : 0;
}

static struct tsc_rate intel_rate(const struct source *s)
{
    uint64_t hz;

    switch (cpu_model(s->c)->tsc_way) {
    case TSC_WAY_CRYSTAL_24:
        return (struct tsc_rate){by_crystal(s, 24000000), TSC_RATE_CRYSTAL};
    case TSC_WAY_CRYSTAL_25:
        return (struct tsc_rate){by_crystal(s, 25000000), TSC_RATE_CRYSTAL};
    case TSC_WAY_CRYSTAL_24_OR_25:
        hz = by_crystal(s, 25000000);
        return (struct tsc_rate){hz ? hz : by_crystal(s, 24000000), TSC_RATE_CRYSTAL};
    case TSC_WAY_CRYSTAL_19_2:
        return (struct tsc_rate){by_crystal(s, 19200000), TSC_RATE_CRYSTAL};
    case TSC_WAY_RATIO_100:
        return (struct tsc_rate){by_ratio(s, (struct bus){1, 1}), TSC_RATE_PLATFORM_INFO};
    case TSC_WAY_RATIO_133:
        return (struct tsc_rate){by_ratio(s, (struct bus){4, 3}), TSC_RATE_PLATFORM_INFO};
    case TSC_WAY_RATIO_SILVERMONT:
        return (struct tsc_rate){by_fsb_and_ratio(s, bus_silvermont, 7), TSC_RATE_FSB};
    case TSC_WAY_RATIO_AIRMONT:
        return (struct tsc_rate){by_fsb_and_ratio(s, bus_airmont, 15), TSC_RATE_FSB};
    case TSC_WAY_CORE2:
        return (struct tsc_rate){by_fsb_and_maximum(s, bus_core2), TSC_RATE_FSB};
    case TSC_WAY_BONNELL:
        return (struct tsc_rate){by_fsb_and_maximum(s, bus_bonnell), TSC_RATE_FSB};
    case TSC_WAY_NETBURST:
        return (struct tsc_rate){by_ebc(s), TSC_RATE_EBC};
    default: /* an unknown model, or AMD */
        return (struct tsc_rate){0, TSC_RATE_NONE};
    }
}

/* --- any vendor ------------------------------------------------------------------------------- */

struct tsc_rate tsc_rate_decode(const struct cpu *c, cpuid_fn cpuid, void *cpuid_ctx, msr_fn rdmsr,
                                void *msr_ctx)
{
    const struct source s = {c, rdmsr, msr_ctx};
    struct tsc_rate r = {0, TSC_RATE_NONE};

    if (!c->tsc)
        return r;
    if (c->hypervisor)
        r = state(hypervisor_hz(c, cpuid, cpuid_ctx, rdmsr, msr_ctx), TSC_RATE_HYPERVISOR);
    if (r.hz == 0)
        r = state(c->tsc_hz, TSC_RATE_CPUID);
    if (r.hz != 0 || c->hypervisor || rdmsr == NULL)
        return r;
    if (c->vendor == VENDOR_INTEL)
        r = intel_rate(&s);
    else if (cpu_is_amd(c))
        r = amd_rate(&s, cpuid, cpuid_ctx);
    return state(r.hz, r.source);
}
