/* The ways out, with a status of lib/config/status.h. Ports 0xf4 and PM1a are written only if QEMU
 * was identified. */
#ifndef KERNEL_MACHINE_LEAVE_H
#define KERNEL_MACHINE_LEAVE_H

#include <stdbool.h>
#include "lib/config/options.h"
#include "lib/config/status.h"

/* Exits QEMU; to be called only there. Returns if the machine has no isa-debug-exit. */
void qemu_exit(enum status status);

struct machine;

/* Returns whether the machine then halts with its report on the screen. */
bool machine_halts(const struct machine *m, enum finish finish);

/*
 * Leaves as `finish` says. auto: on QEMU isa-debug-exit, then power off by PM1a; elsewhere halt.
 * reboot, poweroff: ResetSystem, and on QEMU power off by PM1a for the latter; halt if that fails.
 * Flushes the consoles first, and lets the user scroll back once halted (kernel/console/pager.c).
 * The fault handler may call it again when a step faulted: then it only halts.
 *
 * A borrowed machine is given back instead, from anywhere in the kernel, a fault handler included.
 * boot/after.c does what `finish` says, once the report is on the stick. Other cores go home first
 * (kernel/cores/lent.h). In addition to kernel/cpu/cpu_state.h, these are restored: DE_CFG's LFENCE
 * bit, the masked entries of the IO-APICs and the LVT (never the timer's count), TPR and spurious
 * vector, the PIC's masks, the machine-check enables, the serial port's settings. The code that
 * uses the HPET, the PIT's gate and cycle counters restores them. Old errors in machine-check banks
 * are lost.
 */
_Noreturn void machine_leave(struct machine *m, enum finish finish, enum status status);

#endif
