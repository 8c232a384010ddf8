/*
 * Single-stepping on the running core: #DB by RFLAGS.TF in ring 0 (Intel SDM vol. 3B section
 * 18.3.1.4), while DEBUGCTL.BTF is clear. `step` of bench/api/platform.h uses this;
 * lib/cpu/stepping.h counts.
 */
#ifndef KERNEL_TRAP_STEP_H
#define KERNEL_TRAP_STEP_H

#include "bench/api/platform.h"
#include "kernel/trap/traps.h"

/* Implements `step` on the running core, `c`. */
struct step_result step_call(struct core *c, struct stepping *s, step_entry *entry,
                             const void *code, const uint64_t argument[STEP_ARGUMENTS]);

/* In the #DB handler. True: it was a step of step_call() on this core, and `f` may continue. False:
 * it is another #DB. */
bool step_trap(struct core *c, struct trap_frame *f);

/* Returns the address of the interrupted code. While a call is stepped this is the stepped
 * instruction, since an NMI may have interrupted the step's handler. */
uint64_t step_at(const struct core *c, const struct trap_frame *f);

/* Ends stepping: the call is not continued. */
void step_drop(struct core *c);

#endif
