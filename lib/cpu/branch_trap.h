/*
 * IA32_DEBUGCTL.BTF: with it, the trap flag traps only after taken branches. It is cleared while
 * instructions are counted by their traps. Sources: Intel SDM vol. 3B sections 18.4.1 and 18.4.3,
 * vol. 4 table 2-2; AMD APM vol. 2 section 13.1.1.7 (DebugCtl, the same number and bit).
 */
#ifndef LIB_CPU_BRANCH_TRAP_H
#define LIB_CPU_BRANCH_TRAP_H

#include "lib/cpu/msr_plan.h"

#define MSR_DEBUGCTL 0x1d9
#define DEBUGCTL_BTF (1u << 1)

struct branch_trap {
    struct msr_kept kept;
    bool cleared; /* the bit was set and must be restored */
};

/* Clears the bit if the CPU has the MSR and the bit is set. A write that faults or is ignored is
 * not reported: the known instructions that are stepped first show whether each traps. */
void branch_trap_clear(struct branch_trap *b, const struct msr_access *a);

/* Restores the bit, if it was cleared. */
void branch_trap_restore(struct branch_trap *b, const struct msr_access *a);

#endif
