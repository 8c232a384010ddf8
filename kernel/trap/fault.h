/* What a fatal exception says on the console. */
#ifndef KERNEL_TRAP_FAULT_H
#define KERNEL_TRAP_FAULT_H

#include <stddef.h>
#include "kernel/memory/handoff.h"
#include "kernel/trap/traps.h"
#include "lib/text/sink.h"

/* "#UD invalid opcode"; never NULL. */
const char *trap_name(uint64_t vector);

/* "#UD invalid opcode (vector 6)", and of a #PF what was touched, if CR2 still is this one's;
 * returns its length. */
size_t fault_what(const struct trap_frame *f, char *text, size_t size);

/* "#UD invalid opcode (vector 6) at 1234 while running provoke/ud2"; returns its length. */
size_t fault_describe(const struct core *c, const struct trap_frame *f, char *text, size_t size);

/* The symbol that an address lies in, and how far behind its start; NULL: none. */
typedef const char *fault_namer(uint64_t at, uint64_t *behind);

/*
 * Prints vector, error code, the row that was running on core `c`, all registers and a backtrace of
 * at most sixteen frames; before them, where the code that faulted has none, words on the stack
 * that may be return addresses. An address that `namer` knows has a name; one inside the image has
 * its offset, which addr2line -e build/baretick.elf takes. `h` has the bounds of image and arena.
 * To be called on `c`.
 */
void fault_print(struct sink *out, const struct handoff *h, const struct core *c,
                 const struct trap_frame *f, fault_namer *namer);

#endif
