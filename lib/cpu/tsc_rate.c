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

struct tsc_rate tsc_rate_decode(const struct cpu *c, cpuid_fn cpuid, void *cpuid_ctx, msr_fn rdmsr,
                                void *msr_ctx)
{
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
        r = tsc_rate_intel(c, rdmsr, msr_ctx);
    else if (cpu_is_amd(c))
        r = tsc_rate_amd(c, cpuid, cpuid_ctx, rdmsr, msr_ctx);
    return state(r.hz, r.source);
}
