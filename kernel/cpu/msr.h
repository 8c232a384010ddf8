/*
 * Accesses that may fault and survive it: the fixup table (section `fixups`) has each such
 * instruction and the address at which to continue after a #GP or #PF. Usable once the traps are
 * loaded (kernel/trap/traps.h).
 */
#ifndef KERNEL_CPU_MSR_H
#define KERNEL_CPU_MSR_H

#include <stdbool.h>
#include <stdint.h>
#include "lib/cpu/cpu.h"
#include "lib/cpu/mtrr.h"
#include "lib/cpu/register_bits.h"

/* False: this CPU (or its hypervisor) has no such MSR; *v is then 0. */
bool msr_read(uint32_t msr, uint64_t *v);
/* False: no such MSR, or the value is not allowed. A hypervisor may ignore a write: read it
 * back. */
bool msr_write(uint32_t msr, uint64_t v);

/* Both as functions; they act on the core that calls them. */
extern const struct msr_access msr_here;

/* Reads a counter by RDPMC (SDM vol. 2B: bit 30 of the index selects fixed ones). False: it
 * faults. */
bool pmc_read(uint32_t index, uint64_t *v);

/* Reads 8 bytes at a virtual address. False: nothing is mapped, or the address is not canonical. */
bool mem_read(uint64_t address, uint64_t *v);

/*
 * --- msr_setup.c ---
 * What each core sets up and reads by MSRs: that LFENCE serialises, machine checks, the MTRRs.
 */

/* --- LFENCE: waits for earlier instructions before later ones start --- */

enum lfence_state {
    LFENCE_ALWAYS,    /* Intel; AMD families 0Fh and 11h, or CPUID 8000_0021 EAX[2] */
    LFENCE_WAS_SET,   /* AMD's DE_CFG bit 1, set by the firmware */
    LFENCE_SET_NOW,   /* the same bit, set by baretick and read back */
    LFENCE_COULD_NOT, /* no such MSR, or a hypervisor ignored the write */
    LFENCE_UNKNOWN,   /* a vendor whose manual does not say */
    LFENCE_STATES
};
/* "always", "was_set", "set_now", ... */
extern const char *const lfence_state_names[LFENCE_STATES];

/* Sets the bit if it is clear. */
enum lfence_state lfence_make_serializing(const struct cpu *cpu);
/* Clears the bit if lfence_make_serializing() set it. */
void lfence_restore(enum lfence_state state);

/* --- machine checks: Intel SDM vol. 3B chapter 16 (16.3 for the registers, 16.8 for the order);
 * AMD APM vol. 2 chapter 9 --- */

#define MCE_BANKS 32 /* the architectural MSRs end after 32 banks: 480h is a VMX MSR */

struct mce {
    bool on; /* CR4.MCE set, banks enabled */
    uint32_t banks;
    uint32_t stale; /* banks that held an error before baretick started */

    uint64_t global_was, bank_was[MCE_BANKS]; /* the enable bits as found */
};

/* A machine check, survived or fatal: the first bank with a valid error. */
struct machine_check {
    uint32_t bank;
    uint64_t status, address, mcg_status;
};

/* Clears old errors, enables all banks and sets CR4.MCE. */
struct mce mce_enable(const struct cpu *cpu);
/* Restores the enable bits; the caller restores CR4.MCE. */
void mce_restore(const struct mce *m, const struct cpu *cpu);

/*
 * In the handler: records and clears the machine check. `count`: the number of machine checks on
 * this core, including this one. True: the interrupted code can continue, since RIPV is set, no
 * bank reports a corrupt context (PCC), and there were not too many.
 */
bool machine_check_survived(struct machine_check *last, uint64_t count);

/* --- MTRRs --- */

/* Reads the running core's MTRRs. False: the CPU has no MTRRs; only the page tables set memory
 * types then. */
bool mtrr_read(struct mtrr *m, const struct cpu *cpu);

#endif
