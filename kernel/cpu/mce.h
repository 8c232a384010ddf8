/* Machine checks. Source: Intel SDM vol. 3B chapter 16 (16.3 for the registers, 16.8 for the
 * order); AMD APM vol. 2 chapter 9. */
#ifndef KERNEL_CPU_MCE_H
#define KERNEL_CPU_MCE_H

#include <stdbool.h>
#include <stdint.h>
#include "lib/cpu/cpu.h"

#define MCE_BANKS 32 /* the architectural MSRs end there: 480h is a VMX MSR */

struct mce {
    bool on; /* CR4.MCE set, banks enabled */
    uint32_t banks;
    uint32_t stale; /* banks that already held an error when we came */

    uint64_t global_was, bank_was[MCE_BANKS]; /* the enables as found */
};

/* One that a core survived or died of: the first bank that had something to say. */
struct machine_check {
    uint32_t bank;
    uint64_t status, address, mcg_status;
};

/* Clears what is left over in the banks, enables them all and sets CR4.MCE. The traps must be
 * loaded. */
struct mce mce_enable(const struct cpu *cpu);
/* The enables as found; CR4.MCE is the caller's. */
void mce_restore(const struct mce *m, const struct cpu *cpu);

/*
 * In the handler: notes and clears; `count`: which one it is on this core, from 1. True when the
 * interrupted code can go on: the CPU says so (RIPV), no bank says that its context is corrupt
 * (PCC), and there are not too many of them.
 */
bool machine_check_survived(struct machine_check *last, uint64_t count);

#endif
