/* The ways into the kernel, and what must be there before: boot/ calls these. */
#ifndef KERNEL_ENTRY_H
#define KERNEL_ENTRY_H

#include "kernel/memory/handoff.h"

/* Bytes of arena that kernel/ and bench/ need for the handoff's options, number of cores and memory
 * map. A machine that is borrowed needs room for the log as well. h->needs is filled. */
uint64_t kernel_arena_need(struct handoff *h);

/* GDT, TSS and IDT of ours, as soon as IF is 0 and the firmware does not run: from here on an NMI
 * is counted, and a fault ends with a report. */
void kernel_traps(struct handoff *h);

/* With IF=0, boot services gone, after kernel_traps(). Never returns. */
_Noreturn void kernel_enter(struct handoff *h);

/* With IF=0, boot services alive (h->borrowed). The machine is as it was found, but for what
 * kernel/machine/leave.h says; returns the exit status of that header. */
int kernel_borrow(struct handoff *h);

#endif
