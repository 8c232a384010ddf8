/*
 * AMD: the TSC counts at the frequency of P-state 0 if MSRC001_0015[24] (HWCR, TscFreqSel) is set:
 * "HWCR" and "P-state [7:0]" in the BKDGs and PPRs that lib/cpu/models.c names.
 */
#include "lib/cpu/tsc_rate.h"

#include <stddef.h>

#define MSR_HWCR          0xc0010015
#define MSR_FIDVID_STATUS 0xc0010042
#define MSR_PSTATE_LIMIT  0xc0010061
#define MSR_PSTATE_0      0xc0010064

#define HWCR_TSC_AT_P0 (1ull << 24)
#define PSTATE_ENABLED (1ull << 63)

struct source {
    const struct cpu *c;
    msr_fn rdmsr;
    void *ctx;
};

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
    /* Other ways, without a P-state or for Intel. */
    case TSC_WAY_NONE:
    case TSC_WAY_CRYSTAL_24:
    case TSC_WAY_CRYSTAL_25:
    case TSC_WAY_CRYSTAL_24_OR_25:
    case TSC_WAY_CRYSTAL_19_2:
    case TSC_WAY_RATIO_100:
    case TSC_WAY_RATIO_133:
    case TSC_WAY_RATIO_SILVERMONT:
    case TSC_WAY_RATIO_AIRMONT:
    case TSC_WAY_CORE2:
    case TSC_WAY_BONNELL:
    case TSC_WAY_NETBURST:
    case TSC_WAY_FIDVID:
        break;
    }
    return 0;
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

struct tsc_rate tsc_rate_amd(const struct cpu *c, cpuid_fn cpuid, void *cpuid_ctx, msr_fn rdmsr,
                             void *msr_ctx)
{
    const struct source s = {c, rdmsr, msr_ctx};
    bool boosts = c->max_ext_leaf >= 0x80000007 && (cpuid(cpuid_ctx, 0x80000007, 0).edx >> 9 & 1);

    if (cpu_model(c)->tsc_way == TSC_WAY_FIDVID)
        return (struct tsc_rate){fidvid_hz(&s), TSC_RATE_FIDVID};
    return (struct tsc_rate){base_hz(&s, boosts), TSC_RATE_PSTATE0};
}
