/* Guarded calls always return, whatever their code does: a handler on the same core can end them.
 * Each core runs at most one. `guarded` of bench/api/platform.h uses this. */
#ifndef KERNEL_TRAP_GUARD_H
#define KERNEL_TRAP_GUARD_H

#include "bench/api/platform.h"
#include "kernel/trap/traps.h"

/* Calls fn(ctx) on the running core, `c`. True: it returned. False: it was ended; *ended says
 * why. */
bool guard_call(struct core *c, void (*fn)(void *ctx), void *ctx, struct guard_ended *ended);

/*
 * In a handler, on the interrupted core: ends its guarded call. True: `f` continues after
 * guard_call(), with callee-saved registers and the control words of x87 and SSE restored. False:
 * no guarded call runs. Memory stays as the call left it.
 */
bool guard_leave(struct core *c, struct trap_frame *f, enum guard_end by);

/* The same for an exception that can end a call: those that an instruction causes, and #DF, which
 * an invalid stack pointer causes; never a machine check. */
bool guard_fault(struct core *c, struct trap_frame *f);

/* Forgets the guarded call: the core is about to stop. */
void guard_drop(struct core *c);

/*
 * Single-stepping of a guarded call: #DB by RFLAGS.TF in ring 0 (Intel SDM vol. 3B section
 * 18.3.1.4), while DEBUGCTL.BTF is clear. lib/cpu/stepping.h counts.
 */

/* Implements `step` on the running core, `c`. */
struct step_result step_call(struct core *c, struct stepping *s, step_entry *entry,
                             const void *code, const uint64_t argument[STEP_ARGUMENTS]);

/* In the #DB handler. True: it was a step of step_call() on this core, and `f` may continue. False:
 * it is another #DB. */
bool step_trap(struct core *c, struct trap_frame *f);

#endif
