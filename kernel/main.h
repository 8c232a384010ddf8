/* What kernel/entry.c enters. */
#ifndef KERNEL_MAIN_H
#define KERNEL_MAIN_H

#include "kernel/memory/handoff.h"

/* kernel_traps() of kernel/entry.h; on whatever stack is there. */
void kernel_main_traps(struct handoff *h);
/* NMIs since the report's end. */
uint64_t kernel_main_nmis(void);
/* After it, on the arena's stack, with SSE usable and interrupts off. */
_Noreturn void kernel_main(void);

#endif
