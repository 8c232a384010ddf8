/*
 * The machine for a time (takeover=borrow): boot services stay alive but get no turn, and all that
 * was changed is put back in the reverse order. kernel_borrow() of kernel/memory/handoff.h is the way in,
 * machine_leave() comes here for the way out, from wherever the kernel is: a fault's handler too.
 *
 * Other cores go home first (kernel/cores/lent.h). Of the machine there are put back, beside
 * kernel/cpu/cpu_state.h: the PIC's masks, the IO-APIC's and LVT's entries that were masked (never the timer's count), TPR and spurious vector, DE_CFG's
 * LFENCE bit, the machine-check enables, the serial port's settings. HPET, PIT's gate and cycle
 * counters are put back by those who use them. Errors that stood in machine-check banks are gone.
 */
#ifndef KERNEL_MACHINE_BORROW_H
#define KERNEL_MACHINE_BORROW_H

#include "kernel/machine/machine.h"

/* Begins the log of the report (handoff.log) and adds it to the consoles; nothing where the arena
 * has no room for it. */
void borrow_log(struct machine *m);

/* Back to where kernel_borrow() was called, which then returns `status`. */
_Noreturn void borrow_end(struct machine *m, enum exit_status status);

#endif
