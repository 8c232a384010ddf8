/*
 * Records a CPU as text: the leaves of CPUID, and the MSRs that this program reads. The lines are
 * those of tests/replay/cpuid (hosted/replay/replay.h), so a recorded machine can be replayed.
 * Pure: CPUID and MSRs come as functions.
 */
#ifndef LIB_CPU_RECORDING_H
#define LIB_CPU_RECORDING_H

#include "lib/cpu/cpu.h"
#include "lib/cpu/tsc_rate.h"
#include "lib/text/sink.h"

#define RECORDING_LEAVES 512 /* more than twice those of any known CPU */

struct recorded_leaf {
    uint32_t leaf, subleaf;
    struct cpuid_regs regs;
};

struct recorded_leaves {
    unsigned n;
    struct recorded_leaf of[RECORDING_LEAVES];
};

/* Reads all leaves and subleaves that the CPU reports, up to the room. Executes CPUID only, so any
 * core can call it at any time. */
void recording_leaves(struct recorded_leaves *l, cpuid_fn cpuid, void *ctx);

/* Writes a CPU's leaves, one line each. `first`: those of CPU 0, NULL for CPU 0 itself; equal ones
 * are omitted, and leaves that only CPU 0 has are written as zeros. */
void recording_cpuid(struct sink *out, unsigned cpu, const struct recorded_leaves *l,
                     const struct recorded_leaves *first);

/*
 * Writes the MSRs that the program reads on such a CPU, one line each, with `fault` where the read
 * faults. Those of lib/cpu are found by running its decoders; the others are those that kernel/
 * reads on every start. Nothing is written to an MSR.
 */
void recording_msrs(struct sink *out, const struct cpu *c, cpuid_fn cpuid, void *cpuid_ctx,
                    msr_fn rdmsr, void *msr_ctx);

#endif
