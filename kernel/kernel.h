/* The entry points of the kernel, for boot/ (main.c), and the platform that it gives to bench/
 * (platform.c). */
#ifndef KERNEL_KERNEL_H
#define KERNEL_KERNEL_H

#include "kernel/memory/handoff.h"

/* Loads our GDT, TSS and IDT. Call it as soon as IF is 0 and the firmware does not run. From here
 * on NMIs are counted, and a fault ends with a report. */
void kernel_traps(struct handoff *h);

/* Runs the kernel with IF=0, without boot services, after kernel_traps(). Never returns. */
_Noreturn void kernel_enter(struct handoff *h);

/* Runs the kernel with IF=0 while boot services are alive (h->borrowed). Then restores the machine,
 * except as kernel/machine/machine.h says. Returns the exit status of that header. */
int kernel_borrow(struct handoff *h);

/* After kernel_borrow(), with IF=0: stops the watchdog that guarded the run, and the firmware since
 * then. */
void kernel_unguard(void);

/* --- platform.c: bench/api/platform.h for the bare machine ------------------------------------ */

struct machine;
struct platform;
struct platform_cores;

/* Fills `p`, and `others` if there are other cores; allocates the sample memory. Call it after all
 * machine_...() steps. All three must stay valid. Returns NULL, or why not. */
const char *platform_init(struct platform *p, struct platform_cores *others, struct machine *m);

#endif
