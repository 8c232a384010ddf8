#include "lib/cpu/features.h"
#include <stddef.h>

#define AMD_ZEN               0x17 /* family */
#define MSR_SPEC_CTRL         0x48
#define MSR_ARCH_CAPABILITIES 0x10a

static bool bit(uint64_t value, unsigned n)
{
    return (value >> n & 1) != 0;
}

bool features_smi_counter(const struct cpu *c)
{
    return c->msr && !c->hypervisor && cpu_model(c)->smi_count;
}

bool features_smi_event(const struct cpu *c)
{
    return c->msr && !c->hypervisor && cpu_is_amd(c) && c->family >= AMD_ZEN;
}

uint32_t features_microcode(const struct cpu *c, uint64_t msr_8b)
{
    return (uint32_t)(cpu_is_amd(c) ? msr_8b : msr_8b >> 32);
}

bool features_lfence_serializing(const struct cpu *c, msr_fn rdmsr, void *ctx)
{
    uint64_t v;

    if (c->lfence_always_serializing)
        return true;
    return cpu_is_amd(c) && rdmsr != NULL && rdmsr(ctx, MSR_DE_CFG, &v) && (v & DE_CFG_LFENCE);
}

/* SDM vol. 2A leaf 7 EDX; APM vol. 3 8000_0008 EBX. */
void features_mitigations(struct mitigations *m, const struct cpu *c, cpuid_fn cpuid,
                          void *cpuid_ctx, msr_fn rdmsr, void *msr_ctx)
{
    *m = (struct mitigations){0};
    if (c->max_leaf >= 7) {
        uint32_t edx = cpuid(cpuid_ctx, 7, 0).edx;
        m->md_clear = bit(edx, 10);
        m->ibrs = m->ibpb = bit(edx, 26);
        m->stibp = bit(edx, 27);
        m->l1d_flush = bit(edx, 28);
        m->arch_known = bit(edx, 29);
        m->ssbd = bit(edx, 31);
    }
    if (cpu_is_amd(c) && c->max_ext_leaf >= 0x80000008) {
        uint32_t ebx = cpuid(cpuid_ctx, 0x80000008, 0).ebx;
        m->ibpb |= bit(ebx, 12);
        m->ibrs |= bit(ebx, 14);
        m->stibp |= bit(ebx, 15);
        m->ibrs_always = bit(ebx, 16);
        m->stibp_always = bit(ebx, 17);
        m->ssbd |= bit(ebx, 24) || bit(ebx, 25); /* 25: via another MSR, C001_011F */
        m->ssb_no = bit(ebx, 26);
    }
    bool controls = m->ibrs || m->stibp || m->ssbd;
    m->spec_ctrl_known = controls && rdmsr != NULL && rdmsr(msr_ctx, MSR_SPEC_CTRL, &m->spec_ctrl);
    m->arch_known =
        m->arch_known && rdmsr != NULL && rdmsr(msr_ctx, MSR_ARCH_CAPABILITIES, &m->arch);
}

const char *const features_arch_names[64] = {
    [0] = "rdcl_no",   [1] = "ibrs_all", [2] = "rsba",        [3] = "skip_l1dfl",
    [4] = "ssb_no",    [5] = "mds_no",   [6] = "if_pschange", [7] = "tsx_ctrl",
    [8] = "taa_no",    [13] = "sbdr_no", [14] = "fbsdp_no",   [15] = "psdp_no",
    [17] = "fb_clear", [19] = "rrsba",   [20] = "bhi_no",     [24] = "pbrsb_no",
    [26] = "gds_no",   [27] = "rfds_no", [28] = "rfds_clear",
};

enum { EAX, EBX, ECX, EDX };

struct place {
    uint32_t leaf, subleaf;
    unsigned reg, bit;
};

#define PLACE(leaf, subleaf, reg, bit) "CPUID." #leaf "." #subleaf ":" #reg "[" #bit "]"
#define LACKS(name, place)             "needs " name " (" place "), which this CPU does not have"
#define ONE(id, name, leaf, subleaf, reg, bit)                                                     \
    [FEATURE_##id] = {LACKS(name, PLACE(leaf, subleaf, reg, bit)), {{leaf, subleaf, reg, bit}}},
#define TWO(id, name, leaf, subleaf, reg, bit, leaf2, subleaf2, reg2, bit2)                        \
    [FEATURE_##id] = {                                                                             \
        LACKS(name, PLACE(leaf, subleaf, reg, bit) ", " PLACE(leaf2, subleaf2, reg2, bit2)),       \
        {{leaf, subleaf, reg, bit}, {leaf2, subleaf2, reg2, bit2}}},

static const struct {
    const char *lacks;
    struct place place[2]; /* leaf 0: none; it has no features */
} features[FEATURES] = {FEATURE_BITS(ONE, TWO)};

static bool reports(const struct place *p, cpuid_fn cpuid, void *ctx)
{
    const uint32_t range = 0xffff0000u; /* basic and extended leaves are counted separately */

    if (p->leaf == 0)
        return false;
    uint32_t last = cpuid(ctx, p->leaf & range, 0).eax;
    /* A CPU without extended leaves answers with the registers of a basic one. */
    if (last < p->leaf || (last & range) != (p->leaf & range))
        return false;
    struct cpuid_regs r = cpuid(ctx, p->leaf, p->subleaf);
    const uint32_t words[] = {r.eax, r.ebx, r.ecx, r.edx};
    return words[p->reg] >> p->bit & 1;
}

const char *feature_lacks(enum cpu_feature f, cpuid_fn cpuid, void *ctx)
{
    if (f == FEATURE_NONE || reports(&features[f].place[0], cpuid, ctx) ||
        reports(&features[f].place[1], cpuid, ctx))
        return NULL;
    return features[f].lacks;
}

#define LEAF_MONITOR  5
#define SUBSTATE_BITS 4
#define NIBBLE        0xfu
#define STATES        (32 / SUBSTATE_BITS) /* C0 to C7 */
/* ECX: EDX is valid. ECX[1] is for MWAIT with interrupts disabled. */
#define LEAF5_LISTS_STATES 1u

bool cstates_named(uint32_t hint, cpuid_fn cpuid, void *ctx)
{
    uint32_t state = ((hint >> SUBSTATE_BITS) + 1) & NIBBLE, substate = hint & NIBBLE;

    if (cpuid(ctx, 0, 0).eax < LEAF_MONITOR)
        return false;
    if (hint == 0)
        return true;
    uint32_t edx = cpuid(ctx, LEAF_MONITOR, 0).edx;
    return state < STATES && substate < (edx >> SUBSTATE_BITS * state & NIBBLE);
}

const char *cstates_deepest(uint32_t *hint, const struct cpu *c, cpuid_fn cpuid, void *ctx)
{
    struct cpuid_regs r = {0};

    if (!c->monitor || c->max_leaf < LEAF_MONITOR)
        return "this CPU has no MONITOR (CPUID 1 ECX[3])";
    if (!c->tsc_invariant)
        return "the TSC may stop in deep states (CPUID 80000007h EDX[8])";
    r = cpuid(ctx, LEAF_MONITOR, 0);
    if (!(r.ecx & LEAF5_LISTS_STATES))
        return "this CPU does not list its states (CPUID 5 ECX[0])";
    for (uint32_t state = STATES - 1; state > 1; state--) {
        uint32_t substates = r.edx >> SUBSTATE_BITS * state & NIBBLE;
        if (substates == 0)
            continue;
        *hint = (state - 1) << SUBSTATE_BITS | (substates - 1);
        return NULL;
    }
    return "this CPU names no state below C1 (CPUID 5 EDX)";
}
