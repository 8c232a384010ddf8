/* Machine checks. Source: Intel SDM vol. 3B chapter 16 (16.3 for the registers, 16.8 for the
 * order); AMD APM vol. 2 chapter 9. */
#ifndef KERNEL_CPU_MCE_H
#define KERNEL_CPU_MCE_H

#include "kernel/cpu/core.h"
#include "lib/cpu/cpu.h"

#define MCE_BANKS 32 /* the architectural MSRs end there: 480h is a VMX MSR */

struct mce {
    bool on; /* CR4.MCE set, banks enabled */
    uint32_t banks;
    uint32_t stale; /* banks that already held an error when we came */

    uint64_t global_was, bank_was[MCE_BANKS]; /* the enables as found */
};

/* Clears what is left over in the banks, enables them all and sets CR4.MCE; the traps must
 * stand. */
struct mce mce_enable(const struct cpu *cpu);
/* The enables as found; CR4.MCE is the caller's. */
void mce_restore(const struct mce *m, const struct cpu *cpu);

/*
 * In the handler: counts, notes and clears. True when the interrupted code can go on: the CPU says
 * so (RIPV), no bank says that its context is corrupt (PCC), and this is no storm.
 */
bool machine_check_survived(struct core *c);

#endif
