/*
 * The ways out. Exit statuses are what the table in docs/design.md says; QEMU's isa-debug-exit
 * makes 2 * status + 1 of them. Ports 0xf4 and PM1a are touched only where QEMU was identified.
 */
#ifndef KERNEL_MACHINE_LEAVE_H
#define KERNEL_MACHINE_LEAVE_H

#include <stdbool.h>
#include "lib/config/options.h"

enum exit_status {
    EXIT_SUCCESS = 1,
    EXIT_CHECK_FAILED = 2,
    EXIT_BAD_OPTIONS = 3,
    EXIT_FAULT = 4,
    EXIT_STOPPED = 5,   /* a person stopped it, and no check failed until then */
    EXIT_NO_REPORT = 6, /* it would be success, but no console and no file has the report */
};

/* Only on QEMU. Returns where the machine has no isa-debug-exit. */
void qemu_exit(enum exit_status status);

struct machine;

/* Whether the machine then stands with its report on the screen. */
bool machine_halts(const struct machine *m, enum finish finish);

/*
 * auto: on QEMU isa-debug-exit, else PM1a's power off; elsewhere halt. reboot, poweroff:
 * ResetSystem, then on QEMU PM1a for the latter; halt where that did not work. Waits for the
 * consoles to run dry first, and lets a person at a halted one look back (kernel/console/pager.h).
 * May be called again by the fault handler when a step faulted: it then only halts.
 *
 * A borrowed machine is given back instead, from wherever the kernel is, a fault's handler too;
 * what `finish` asks for is done by boot/after.c, when the report is on the stick. Other cores go
 * home first (kernel/cores/lent.h). Then, beside what kernel/cpu/cpu_state.h has, these are put
 * back: DE_CFG's LFENCE bit, the entries of the IO-APICs and the LVT that were masked (never the
 * timer's count), TPR and spurious vector, the PIC's masks, the machine-check enables, the serial
 * port's settings. HPET, the PIT's gate and cycle counters are put back by the code that uses them.
 * Errors that stood in machine-check banks are gone.
 */
_Noreturn void machine_leave(struct machine *m, enum finish finish, enum exit_status status);

#endif
