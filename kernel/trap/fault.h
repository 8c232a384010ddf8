/* Describes fatal exceptions, and prints them on the console. */
#ifndef KERNEL_TRAP_FAULT_H
#define KERNEL_TRAP_FAULT_H

#include <stddef.h>
#include "kernel/memory/handoff.h"
#include "kernel/trap/traps.h"
#include "lib/text/sink.h"

/* Returns a name such as "#UD invalid opcode"; never NULL. */
const char *trap_name(uint64_t vector);

/* Writes a text such as "#UD invalid opcode (vector 6)"; for a #PF also the access, if CR2 still
 * belongs to it. Returns the text's length. */
size_t fault_what(const struct trap_frame *f, char *text, size_t size);

/* Writes a text such as "#UD invalid opcode (vector 6) at 1234 while running provoke/ud2". Returns
 * the text's length. */
size_t fault_describe(const struct core *c, const struct trap_frame *f, char *text, size_t size);

/* Returns the symbol that contains the address; *offset gets the offset in it. NULL: no symbol. */
typedef const char *fault_namer(uint64_t at, uint64_t *offset);

/*
 * Prints vector, error code, the row that was running on core `c`, all registers and a backtrace of
 * at most 16 frames. If the faulting code has no frames, words on the stack that may be return
 * addresses come first. An address is printed with its name if `namer` knows it, or with its offset
 * in the image, for addr2line -e build/baretick.elf. `h` has the bounds of image and arena. To be
 * called on `c`.
 */
void fault_print(struct sink *out, const struct handoff *h, const struct core *c,
                 const struct trap_frame *f, fault_namer *namer);

#endif
