/* CPUID, counters and random numbers: the instructions that read something of the machine. Numbers
 * of leaves: SDM vol. 2A CPUID; APM vol. 3 appendix E. */
#include "bench/suites/privileged/privileged.h"

extern const struct unit unit_privileged_cpuid, unit_privileged_rdtsc, unit_privileged_rdtscp,
    unit_privileged_rdpmc, unit_privileged_rdpid, unit_privileged_rdrand, unit_privileged_rdseed;

/* Every CPU executes CPUID of every leaf: above its last leaf it answers with another one. */
#define LEAF(name_, what_, leaf_)                                                                  \
    PRIVILEGED_ANY_RING(cpuid_##name_, 3, "cpuid, leaf " what_, .ops = PRIVILEGED_OPS,             \
                        .arg = leaf_, .window.unit = &unit_privileged_cpuid)

LEAF(0, "0: vendor", 0);
LEAF(1, "1: features", 1);
LEAF(2, "2: caches by descriptors (Intel)", 2);
LEAF(4, "4: caches (Intel)", 4);
LEAF(6, "6: power management", 6);
LEAF(7, "7: features", 7);
LEAF(a, "0ah: performance counters", 0xa);
LEAF(b, "0bh: topology", 0xb);
LEAF(d, "0dh: states of XSAVE", 0xd);
LEAF(15, "15h: TSC", 0x15);
LEAF(40000000, "40000000h: hypervisor", 0x40000000);
LEAF(80000000, "80000000h: last extended leaf", 0x80000000);
LEAF(80000002, "80000002h: brand", 0x80000002);
LEAF(80000008, "80000008h: address sizes", 0x80000008);
LEAF(8000001d, "8000001dh: caches (AMD)", 0x8000001d);

#define READS(name_, what_, ...)                                                                   \
    PRIVILEGED_ANY_RING(name_, 1, what_, .ops = PRIVILEGED_OPS,                                    \
                        .window.unit = &unit_privileged_##name_, __VA_ARGS__)

READS(rdtsc, "rdtsc");
READS(rdtscp, "rdtscp", .needs.features = {FEATURE_RDTSCP});
READS(rdpid, "rdpid r64", .needs.features = {FEATURE_RDPID});
READS(rdrand, "rdrand r64", .needs.features = {FEATURE_RDRAND});
READS(rdseed, "rdseed r64", .needs.features = {FEATURE_RDSEED});

/* SDM vol. 2B RDPMC: bit 30 selects the fixed counters. AMD's have no such bit. */
#define FIXED_COUNTER (1u << 30)

static const char *lacks_fixed(const struct cpu *cpu)
{
    return cpu_is_amd(cpu) ? "needs a fixed counter, which AMD's CPUs do not have" : NULL;
}

PRIVILEGED_ROW(rdpmc, 2, "rdpmc of programmable counter 0", .ops = PRIVILEGED_OPS, .arg = 0,
               .window.unit = &unit_privileged_rdpmc);
PRIVILEGED_ROW(rdpmc_fixed, 2, "rdpmc of fixed counter 0", .ops = PRIVILEGED_OPS,
               .arg = FIXED_COUNTER, .window.unit = &unit_privileged_rdpmc,
               .needs.lacks = lacks_fixed);
