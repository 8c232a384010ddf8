/*
 * Counters of core cycles and of retired instructions: finds the one that this CPU has, sets it up
 * and restores it. Pure: CPUID, MSRs, RDPMC and the work that proves a counter come as functions.
 * Sources: Intel SDM vol. 3B ch. 20 (architectural performance monitoring, fixed counters 0 =
 * INST_RETIRED.ANY and 1 = CPU_CLK_UNHALTED.THREAD) and ch. 15.5 (APERF, MPERF); AMD APM vol. 2
 * section 13.2 and AMD's BKDGs and PPRs, PMCx076 "core cycles not in halt" and PMCx0C0 "retired
 * instructions".
 */
#ifndef LIB_CPU_CORE_COUNTER_H
#define LIB_CPU_CORE_COUNTER_H

#include <stdbool.h>
#include <stdint.h>
#include "lib/cpu/cpu.h"
#include "lib/cpu/register_bits.h"

enum core_counter_kind {
    COUNTER_NONE,
    COUNTER_FIXED1,
    COUNTER_AMD_PMC,
    COUNTER_APERF,
    COUNTER_KINDS
};
extern const char *const core_counter_names[COUNTER_KINDS]; /* "none" "fixed1" "amd_pmc" "aperf" */

/* The counters that CPUID reports; a hypervisor may behave differently. */
struct core_counters {
    bool guest;                 /* CPUID names a hypervisor */
    enum core_counter_kind pmc; /* FIXED1, AMD_PMC or NONE */
    uint8_t bits;               /* its width */
    uint8_t count;              /* AMD_PMC: number of counters that can count the event */
    bool extended;              /* AMD_PMC: at C001_0200 instead of C001_0000 */
    bool global;                /* AMD_PMC: C000_0301 must enable them too */
    bool aperf;
};

void core_counters_decode(struct core_counters *c, cpuid_fn cpuid, void *ctx);

/* Returns the best one: a counter of core cycles, else APERF/MPERF, else none. */
static inline enum core_counter_kind core_counters_best(const struct core_counters *c)
{
    return c->pmc != COUNTER_NONE ? c->pmc : c->aperf ? COUNTER_APERF : COUNTER_NONE;
}

/* NULL, or why CPUID reports no fixed counter or PMC; no APERF. */
static inline const char *core_counter_absent(const struct core_counters *c)
{
    if (c->pmc == COUNTER_NONE)
        return "no fixed counter 1 (CPUID 0Ah), and none of AMD's";
    if (c->bits < 32 || c->bits > 63)
        return "its width (CPUID 0Ah EDX[12:5]) is not one of 32 to 63 bits";
    return NULL;
}

static inline const char *aperf_absent(const struct core_counters *c)
{
    return c->aperf ? NULL : "no APERF and MPERF (CPUID 6 ECX[0])";
}

/* The machine. */
struct counter_access {
    struct msr_access msr;
    void *ctx; /* for the functions below */
    /* Returns false if it faults. */
    bool (*rdpmc)(void *ctx, uint32_t index, uint64_t *v);
    uint64_t (*tsc)(void *ctx);
    /* Executes this number of dependent additions, which takes the same number of core cycles and
     * few more. */
    void (*chain)(void *ctx, uint32_t adds);
};

/* COUNT_SMIS: AMD's event 2Bh, "SMIs received" (PPRs of families 17h and 19h). */
enum core_counter_event { COUNT_CYCLES, COUNT_INSTRUCTIONS, COUNT_SMIS, COUNT_EVENTS };

#define COUNTER_STEPS 3

/* The running fixed counter or PMC: what is read, and what stop() restores. */
struct core_counter {
    uint32_t index; /* the argument of RDPMC */
    uint8_t bits;
    uint8_t steps; /* MSRs changed so far; 0 if the firmware's own setting is used */
    struct msr_kept step[COUNTER_STEPS];
};

/*
 * Sets up a counter for the event at every privilege level and proves that it counts: a chain of
 * additions takes as many core cycles as it has instructions. For SMIs there is no such proof. A
 * counter that already counts something else is left to its owner; on AMD the next one is tried.
 * Returns NULL, or why no counter can be used; then everything is as found.
 */
const char *core_counter_start(struct core_counter *c, const struct core_counters *has,
                               enum core_counter_event event, const struct counter_access *a);
/* Reads its count, `bits` wide. False: RDPMC faulted. */
bool core_counter_read(const struct core_counter *c, const struct counter_access *a,
                       uint64_t *count);
/* Restores everything, including the count. False: an MSR does not read back. */
bool core_counter_stop(struct core_counter *c, const struct counter_access *a);

/* Judges the counts of COUNTER_PROOF_ADDS adds; one of COUNTER_PROOF_TRIES runs must be right (an
 * SMI can interrupt one). Returns NULL, or what is wrong. */
#define COUNTER_PROOF_ADDS  100000
#define COUNTER_PROOF_TRIES 4
const char *core_counter_prove(bool guest, const uint64_t *counted);

/*
 * Core cycles from APERF and MPERF (SDM vol. 3B ch. 15.5). Only the ratio of their growths is
 * defined: core cycles per tick of the TSC's clock. So the core cycles of an interval are its ticks
 * times that ratio. Both MSRs are only read, never written.
 */
enum aperf_status {
    APERF_OK,
    APERF_AGAIN,  /* the readings were interrupted, or MPERF has not advanced yet */
    APERF_FAILED, /* an MSR faults */
};

struct aperf {
    /* Readings further apart than this many ticks are discarded; follows the core's clock. */
    uint64_t apart;
    uint64_t tsc, aperf, mperf; /* at the last valid reading */
    uint64_t cycles;            /* since the start */
};

/* Proves that it counts core cycles, as core_counter_start() does. Returns NULL, or why it cannot
 * be used. */
const char *aperf_start(struct aperf *p, const struct core_counters *has,
                        const struct counter_access *a);

/* How much both grew while a core was busy. */
struct aperf_grown {
    uint64_t aperf, mperf;
};

/* Keeps the core busy for about this many ticks, so that its clock settles, and then measures for
 * as long again. Returns NULL, or why it could not be measured. */
const char *aperf_busy(struct aperf_grown *grown, const struct core_counters *has,
                       const struct counter_access *a, uint64_t ticks);

/* Stores the core cycles since the start. */
enum aperf_status aperf_read(struct aperf *p, const struct counter_access *a, uint64_t *cycles);

#endif
