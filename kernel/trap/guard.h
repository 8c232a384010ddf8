/*
 * Calls that come back, whatever the code does that they run: a handler on the same core leaves
 * them in the middle. One at a time on each core. `guarded` of bench/api/platform.h is made of it.
 */
#ifndef KERNEL_TRAP_GUARD_H
#define KERNEL_TRAP_GUARD_H

#include "bench/api/platform.h"
#include "kernel/trap/traps.h"

/* fn(ctx) on the running core, `c`. True: it came back; false: it was left, *ended says why. */
bool guard_call(struct core *c, void (*fn)(void *ctx), void *ctx, struct guard_ended *ended);

/*
 * In a handler, on the core that was interrupted: leaves the call that runs there. True: `f` goes
 * on behind guard_call(), with the registers that the ABI wants kept, and the state of x87 and SSE.
 * False: no such call runs. Memory is as the call left it.
 */
bool guard_leave(struct core *c, struct trap_frame *f, enum guard_end by);

/*
 * The same for an exception, if a call can be left for it: what the instruction itself did, never a
 * double fault, which tells of no instruction, nor a machine check.
 */
bool guard_fault(struct core *c, struct trap_frame *f);

/* Nothing is left any more: the core is on its way out. */
void guard_drop(struct core *c);

#endif
