/* What kernel/entry.c enters. */
#ifndef KERNEL_MAIN_H
#define KERNEL_MAIN_H

#include "kernel/memory/handoff.h"

/* On the arena's stack, with SSE usable and interrupts off. */
_Noreturn void kernel_main(struct handoff *h);

#endif
