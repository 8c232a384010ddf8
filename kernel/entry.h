/* The entry points of the kernel (main.c), and its memory need (arena_need.c), for boot/. */
#ifndef KERNEL_ENTRY_H
#define KERNEL_ENTRY_H

#include "kernel/memory/handoff.h"

/* Returns the bytes of arena that kernel/ and bench/ need for the handoff's options, number of
 * cores and memory map. A borrowed machine also needs room for the log. Fills h->needs. */
uint64_t kernel_arena_need(struct handoff *h);

/* Loads our GDT, TSS and IDT. Call it as soon as IF is 0 and the firmware does not run. From here
 * on NMIs are counted, and a fault ends with a report. */
void kernel_traps(struct handoff *h);

/* Runs the kernel with IF=0, without boot services, after kernel_traps(). Never returns. */
_Noreturn void kernel_enter(struct handoff *h);

/* Runs the kernel with IF=0 while boot services are alive (h->borrowed). Then restores the machine,
 * except as kernel/machine/machine.h says. Returns the exit status of that header. */
int kernel_borrow(struct handoff *h);

#endif
