/*
 * Single-stepping on the running core: #DB by RFLAGS.TF in ring 0 (Intel SDM vol. 3B section
 * 18.3.1.4), while DEBUGCTL.BTF is clear. `step` of bench/api/platform.h is made of it;
 * lib/cpu/steps.h counts.
 */
#ifndef KERNEL_TRAP_STEP_H
#define KERNEL_TRAP_STEP_H

#include "bench/api/platform.h"
#include "kernel/trap/traps.h"

/* The platform's, on the running core, `c`. */
struct step_result step_call(struct core *c, struct steps *s, step_entry *entry, const void *code,
                             const uint64_t argument[STEP_ARGUMENTS]);

/* In the handler of a #DB. True: it was a step of step_call() on this core, and `f` may go on.
 * False: it is any other #DB. */
bool step_trap(struct core *c, struct trap_frame *f);

/* Where the code stands that a handler has interrupted: the stepped instruction while a call is
 * stepped, since an NMI may have interrupted the step's own handler. */
uint64_t step_at(const struct core *c, const struct trap_frame *f);

/* The call is left in the middle: nothing is stepped any more. */
void step_drop(struct core *c);

#endif
