/* The part of the kernel that kernel/entry.c calls. */
#ifndef KERNEL_MAIN_H
#define KERNEL_MAIN_H

#include "kernel/memory/handoff.h"

/* Implements kernel_traps() of kernel/entry.h; runs on any stack. */
void kernel_main_traps(struct handoff *h);
/* Returns the NMIs since the report's end. */
uint64_t kernel_main_nmis(void);
/* To be called after kernel_main_traps(), on the arena's stack, with SSE usable and interrupts
 * disabled. */
_Noreturn void kernel_main(void);

#endif
