/*
 * A counter whose overflow interrupts the running core after a while: finds the one that this CPU
 * has, sets it and restores it. Pure: CPUID and MSRs come as functions. It counts while the core
 * executes, at the TSC's rate (Intel's fixed counter 2) or in core cycles; with core cycles the
 * interrupt is early or late by the ratio of the two. Sources: Intel SDM vol. 3B sections 20.2.1 to
 * 20.2.8 (architectural performance monitoring from version 2), table 20-1 (events), vol. 4 table
 * 2-2 (MSRs); AMD APM vol. 2 section 13.2 and AMD's PPRs (PMCx076, PerfMonV2).
 */
#ifndef LIB_CPU_OVERFLOW_H
#define LIB_CPU_OVERFLOW_H

#include <stdbool.h>
#include <stdint.h>
#include "lib/cpu/cpu.h"
#include "lib/cpu/register_bits.h"

enum overflow_kind { OVERFLOW_NONE, OVERFLOW_FIXED2, OVERFLOW_PMC0, OVERFLOW_AMD };

/* The counters that CPUID reports. */
struct overflow_plan {
    enum overflow_kind kind;
    uint8_t bits;  /* width of the counter */
    bool pdcm;     /* Intel: IA32_PERF_CAPABILITIES exists and reports full-width writes */
    uint8_t count; /* AMD: number of counters */
    bool extended; /* AMD: at C001_0200 instead of C001_0000 */
    bool global;   /* AMD: PerfMonV2, with a global control and status */
    bool guest;    /* CPUID names a hypervisor */
};
void overflow_decode(struct overflow_plan *p, cpuid_fn cpuid, void *ctx);
/* NULL, or why CPUID reports none. */
const char *overflow_absent(const struct overflow_plan *p);

/* A counter that is set: its registers and their old values. 0: no such register. */
struct overflow {
    bool set;
    uint8_t bits;
    uint64_t most; /* a longer time takes several overflows */
    uint32_t count, control, enable, status, clear;
    uint64_t control_mask, bit; /* bit: of enable, status and clear */
    uint64_t count_was, control_was, enable_was;
};

/*
 * Makes this core's counter interrupt after this number of counts, or after the maximum, if the
 * local APIC's LVT entry for counters allows it. Returns NULL; or why not, with everything as
 * found: a counter in use is left to its owner.
 */
const char *overflow_start(struct overflow *o, const struct overflow_plan *p,
                           const struct msr_access *a, uint64_t counts);
/* Returns whether it has overflowed since it was set. */
bool overflow_came(const struct overflow *o, const struct msr_access *a);
/* Sets it again, counting from now. */
bool overflow_again(const struct overflow *o, const struct msr_access *a, uint64_t counts);
/* Restores all but other counters' bits in the same registers. False: it does not read back. */
bool overflow_stop(struct overflow *o, const struct msr_access *a);

#endif
