/* Machine checks. Source: Intel SDM vol. 3B chapter 16 (16.3 for the registers, 16.8 for the
 * order); AMD APM vol. 2 chapter 9. */
#ifndef KERNEL_CPU_MCE_H
#define KERNEL_CPU_MCE_H

#include <stdbool.h>
#include <stdint.h>
#include "lib/cpu/cpu.h"

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

/* Clears old errors, enables all banks and sets CR4.MCE. The traps must be loaded. */
struct mce mce_enable(const struct cpu *cpu);
/* Restores the enable bits; the caller restores CR4.MCE. */
void mce_restore(const struct mce *m, const struct cpu *cpu);

/*
 * In the handler: records and clears the machine check. `count`: the number of machine checks on
 * this core, including this one. True: the interrupted code can continue, since RIPV is set, no
 * bank reports a corrupt context (PCC), and there were not too many.
 */
bool machine_check_survived(struct machine_check *last, uint64_t count);

#endif
