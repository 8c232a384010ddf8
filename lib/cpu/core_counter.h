/*
 * Counters of core cycles, and of retired instructions: which one this CPU has, how it is set up,
 * and back. Pure: CPUID, MSRs, RDPMC and the work that proves a counter come as functions. Sources:
 * Intel SDM vol. 3B ch. 20 (architectural performance monitoring, fixed counters 0 =
 * INST_RETIRED.ANY and 1 = CPU_CLK_UNHALTED.THREAD) and ch. 15.5 (APERF, MPERF); AMD APM vol. 2
 * section 13.2 and AMD's BKDGs and PPRs, PMCx076 "core cycles not in halt" and PMCx0C0 "retired
 * instructions".
 */
#ifndef LIB_CPU_CORE_COUNTER_H
#define LIB_CPU_CORE_COUNTER_H

#include <stdbool.h>
#include <stdint.h>
#include "lib/cpu/cpu.h"
#include "lib/cpu/msr_plan.h"

enum core_counter_kind {
    COUNTER_NONE,
    COUNTER_FIXED1,
    COUNTER_AMD_PMC,
    COUNTER_APERF,
    COUNTER_KINDS
};
extern const char *const core_counter_names[COUNTER_KINDS]; /* "none" "fixed1" "amd_pmc" "aperf" */

/* What CPUID says; a hypervisor may say one thing and do another. */
struct core_counters {
    enum core_counter_kind pmc; /* FIXED1, AMD_PMC or NONE */
    uint8_t bits;               /* its width */
    uint8_t count;              /* AMD_PMC: counters that can take the event */
    bool extended;              /* AMD_PMC: they are at C001_0200, not at C001_0000 */
    bool global;                /* AMD_PMC: C000_0301 must let them count too */
    bool aperf;
};

void core_counters_decode(struct core_counters *c, cpuid_fn cpuid, void *ctx);

/* The best of them: a counter of core cycles as such, else APERF/MPERF, else none. */
enum core_counter_kind core_counters_best(const struct core_counters *c);

/* NULL, or why CPUID does not promise the fixed counter or the PMC; the same of APERF. */
const char *core_counter_absent(const struct core_counters *c);
const char *aperf_absent(const struct core_counters *c);

/* The machine. */
struct counter_access {
    struct msr_access msr;
    void *ctx; /* of what follows */
    /* False: it faults. */
    bool (*rdpmc)(void *ctx, uint32_t index, uint64_t *v);
    uint64_t (*tsc)(void *ctx);
    /* A chain of that many dependent additions: as many core cycles, and little more. */
    void (*chain)(void *ctx, uint32_t adds);
};

enum core_counter_event { COUNT_CYCLES, COUNT_INSTRUCTIONS, COUNT_EVENTS };

#define COUNTER_STEPS 3

/* The fixed counter or the PMC, running: what is read, and what stop() puts back. */
struct core_counter {
    uint32_t index; /* of RDPMC */
    uint8_t bits;
    uint8_t steps; /* taken so far; 0 also where the firmware's own setting is read along */
    struct msr_kept step[COUNTER_STEPS];
};

/*
 * Sets a counter up for the event at every privilege and proves that it counts it: a chain of
 * additions takes as many core cycles as it has instructions. A counter
 * that counts something else already is its owner's; on AMD the next is taken. NULL, or why there
 * is none; everything is then as found.
 */
const char *core_counter_start(struct core_counter *c, const struct core_counters *has,
                               enum core_counter_event event, const struct counter_access *a);
/* Its count, `bits` wide. False: RDPMC faulted. */
bool core_counter_read(const struct core_counter *c, const struct counter_access *a,
                       uint64_t *count);
/* As found, the count itself included. False: an MSR does not read back as it was. */
bool core_counter_stop(struct core_counter *c, const struct counter_access *a);

/* What a start must see of COUNTER_PROOF_ADDS adds in one of COUNTER_PROOF_TRIES runs (an SMI can
 * fall into one). NULL, or what it saw instead. */
#define COUNTER_PROOF_ADDS  100000
#define COUNTER_PROOF_TRIES 4
const char *core_counter_prove(const uint64_t *counted);

#endif
