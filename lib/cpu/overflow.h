/*
 * A counter of the running core's whose overflow interrupts it after a while: which one this CPU
 * has, how it is set, and back. Pure: CPUID and MSRs come as functions. It counts while the core
 * executes, at the TSC's rate (Intel's fixed counter 2) or in core cycles, so that it can come too
 * early or too late by the ratio of the two. Sources: Intel SDM vol. 3B sections 20.2.1 to 20.2.8
 * (architectural performance monitoring from version 2), table 20-1 (events), vol. 4 table 2-2
 * (MSRs); AMD APM vol. 2 section 13.2 and AMD's PPRs (PMCx076, PerfMonV2).
 */
#ifndef LIB_CPU_OVERFLOW_H
#define LIB_CPU_OVERFLOW_H

#include <stdbool.h>
#include <stdint.h>
#include "lib/cpu/cpu.h"
#include "lib/cpu/msr_plan.h"

enum overflow_kind { OVERFLOW_NONE, OVERFLOW_FIXED2, OVERFLOW_PMC0, OVERFLOW_AMD };

/* What CPUID promises. */
struct overflow_plan {
    enum overflow_kind kind;
    uint8_t bits;  /* width of the counter */
    bool pdcm;     /* Intel: IA32_PERF_CAPABILITIES is there, and tells of full-width writes */
    uint8_t count; /* AMD: counters that there are */
    bool extended; /* AMD: they are at C001_0200, not at C001_0000 */
    bool global;   /* AMD: PerfMonV2, with a control and a status of all of them */
};
void overflow_decode(struct overflow_plan *p, cpuid_fn cpuid, void *ctx);
/* NULL, or why CPUID promises none. */
const char *overflow_absent(const struct overflow_plan *p);

/* One that is set: its registers, and what they were. 0 for a register that there is none of. */
struct overflow {
    bool set;
    uint8_t bits;
    uint64_t most; /* a longer time takes several shots */
    uint32_t count, control, enable, status, clear;
    uint64_t control_mask, bit; /* bit: of enable, status and clear */
    uint64_t count_was, control_was, enable_was;
};

/*
 * On the core itself: it interrupts after this number of counts, or as many as it can, if the local
 * APIC's entry for counters lets it. NULL; or why not, and then all is as found: what counts
 * already is its owner's.
 */
const char *overflow_start(struct overflow *o, const struct overflow_plan *p,
                           const struct msr_access *a, uint64_t counts);
/* Whether it has overflowed since it was set. */
bool overflow_came(const struct overflow *o, const struct msr_access *a);
/* Instead, from now. */
bool overflow_again(const struct overflow *o, const struct msr_access *a, uint64_t counts);
/* As found; bits of other counters in the same registers stay. False: it does not read back so. */
bool overflow_stop(struct overflow *o, const struct msr_access *a);

#endif
