/* What a fatal exception says on the console, and what it needs to know for that. */
#ifndef KERNEL_TRAP_FAULT_H
#define KERNEL_TRAP_FAULT_H

#include <stddef.h>
#include "kernel/trap/traps.h"

/* "#UD invalid opcode"; never NULL. */
const char *trap_name(uint64_t vector);

/* What runs on this core from now on; NULL, NULL: nothing. The strings must stay where they are. */
void fault_row(const char *suite, const char *name);

/* "#UD invalid opcode (vector 6) at 1234 while running provoke/ud2"; returns its length. */
size_t fault_describe(const struct trap_frame *f, char *text, size_t size);

/*
 * Prints vector, error code, the row that was running, all registers and a backtrace of at most
 * sixteen frames over rbp (where there are none, words on the stack that may be return addresses),
 * inside the image also as offsets, which addr2line -e build/baretick.elf takes.
 */
void fault_print(struct machine *m, const struct trap_frame *f);

/*
 * In kernel/main.c. Called on the boot core after the registers were printed: writes the
 * records and leaves with exit status 4. A fault on the way there ends the program at once.
 */
_Noreturn void kernel_faulted(const struct trap_frame *f);

#endif
