/*
 * The TSC's frequency as the CPU itself states it, without a reference clock: from CPUID, MSRs, and
 * a family's manuals. Nothing is guessed: an unknown model, contradicting fields, or a hypervisor
 * that shows another machine's MSRs give hz = 0. Boards' reference clocks are about 0.2% off their
 * name and can be adjusted, so on a live machine a measured clock decides.
 */
#ifndef LIB_CPU_TSC_RATE_H
#define LIB_CPU_TSC_RATE_H

#include "lib/cpu/cpu.h"

/* No TSC is faster: the highest base clock ever sold is under 5 GHz. A higher value is wrong; a
 * wait computed from this limit is never too short. */
#define TSC_HZ_MAX 10000000000ull

/* Returns false if the MSR does not exist (#GP) or cannot be read. */
typedef bool (*msr_fn)(void *ctx, uint32_t address, uint64_t *value);

enum tsc_rate_source {
    TSC_RATE_NONE,          /* not stated: calibrate */
    TSC_RATE_CPUID,         /* leaf 15h, crystal included */
    TSC_RATE_CRYSTAL,       /* leaf 15h, with the crystal of the model */
    TSC_RATE_HYPERVISOR,    /* leaf 4000_0010, or Hyper-V's MSR */
    TSC_RATE_PLATFORM_INFO, /* MSR CEh ratio times the model's bus clock */
    TSC_RATE_FSB,           /* Intel's bus clock in MSR CDh times the maximum ratio */
    TSC_RATE_EBC,           /* Netburst: MSR 2Ch */
    TSC_RATE_PSTATE0,       /* AMD: frequency of the base P-state, MSRs from C001_0064 */
    TSC_RATE_FIDVID,        /* AMD K8: the current frequency, MSR C001_0042; not constant */
    TSC_RATE_SOURCES
};

struct tsc_rate {
    uint64_t hz; /* 0: not stated */
    enum tsc_rate_source source;
};

/* `rdmsr` may be NULL if MSRs cannot be read. */
struct tsc_rate tsc_rate_decode(const struct cpu *c, cpuid_fn cpuid, void *cpuid_ctx, msr_fn rdmsr,
                                void *msr_ctx);

extern const char *const tsc_rate_source_names[TSC_RATE_SOURCES];

#endif
