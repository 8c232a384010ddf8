/*
 * The TSC's frequency as the CPU itself states it, without a clock to compare with: CPUID, MSRs,
 * and what the manuals of a family say of them. Nothing is stated that rests on a guess: an unknown
 * model, fields that contradict each other, a hypervisor that shows another machine's MSRs give
 * hz = 0. Boards' reference clocks are some 0.2% off their name, and can be set: on a live machine
 * a measured clock has the last word.
 */
#ifndef LIB_CPU_TSC_RATE_H
#define LIB_CPU_TSC_RATE_H

#include "lib/cpu/cpu.h"

/* No TSC is faster: the highest base clock that was ever sold is under 5 GHz. What says more is
 * wrong, and a wait computed from it is never too short. */
#define TSC_HZ_MAX 10000000000ull

/* False where the MSR does not exist (#GP) or cannot be read. */
typedef bool (*msr_fn)(void *ctx, uint32_t address, uint64_t *value);

enum tsc_rate_source {
    TSC_RATE_NONE,          /* not stated: calibrate */
    TSC_RATE_CPUID,         /* leaf 15h, crystal included */
    TSC_RATE_CRYSTAL,       /* leaf 15h, the crystal by the model */
    TSC_RATE_HYPERVISOR,    /* leaf 4000_0010, or Hyper-V's MSR */
    TSC_RATE_PLATFORM_INFO, /* MSR CEh ratio times the model's bus clock */
    TSC_RATE_FSB,           /* Intel's bus clock in MSR CDh times the maximum ratio */
    TSC_RATE_EBC,           /* Netburst: MSR 2Ch */
    TSC_RATE_PSTATE0,       /* AMD: frequency of the base P-state, MSR C001_0064 and following */
    TSC_RATE_FIDVID,        /* AMD K8: the present frequency, MSR C001_0042; not constant */
    TSC_RATE_SOURCES
};

struct tsc_rate {
    uint64_t hz; /* 0: not stated */
    enum tsc_rate_source source;
};

/* `rdmsr` may be NULL where there are no MSRs to be had. */
struct tsc_rate tsc_rate_decode(const struct cpu *c, cpuid_fn cpuid, void *cpuid_ctx, msr_fn rdmsr,
                                void *msr_ctx);

/* The vendors' parts of it, for machines that are none's guests; hz = 0 where not stated. */
struct tsc_rate tsc_rate_intel(const struct cpu *c, msr_fn rdmsr, void *ctx);
struct tsc_rate tsc_rate_amd(const struct cpu *c, cpuid_fn cpuid, void *cpuid_ctx, msr_fn rdmsr,
                             void *msr_ctx);

extern const char *const tsc_rate_source_names[TSC_RATE_SOURCES];

#endif
