/* From the firmware's stack to our own, and back: kernel/cpu/entry.asm. */
#ifndef KERNEL_CPU_ENTRY_H
#define KERNEL_CPU_ENTRY_H

#include <stdint.h>
#include "kernel/cpu/cpu.h"

/* go(argument) on the stack that ends at `stack_top`, 16-byte aligned, with a clean RFLAGS: IF, DF,
 * TF, NT and AC are clear. `go` never returns. */
_Noreturn void entry_switch(void *argument, uint64_t stack_top, void (*go)(void *)) HIDDEN;
/* The same, but entry_return(*back, status), from wherever `go` has come to, makes it return that
 * status. */
int entry_visit(void *argument, uint64_t stack_top, void (*go)(void *), uint64_t *back) HIDDEN;
_Noreturn void entry_return(uint64_t back, int status) HIDDEN;

#endif
