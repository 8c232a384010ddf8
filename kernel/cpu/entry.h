/* Switches from the firmware's stack to ours, and back: kernel/cpu/entry.asm. */
#ifndef KERNEL_CPU_ENTRY_H
#define KERNEL_CPU_ENTRY_H

#include <stdint.h>
#include "kernel/cpu/cpu.h"

/* Calls go(argument) on the stack that ends at `stack_top`, 16-byte aligned, with IF, DF, TF, NT
 * and AC clear in RFLAGS. `go` never returns. */
_Noreturn void entry_switch(void *argument, uint64_t stack_top, void (*go)(void *)) HIDDEN;
/* The same, but returns `status` when entry_return(*back, status) is called, at any point after
 * `go` has begun. */
int entry_visit(void *argument, uint64_t stack_top, void (*go)(void *), uint64_t *back) HIDDEN;
_Noreturn void entry_return(uint64_t back, int status) HIDDEN;

#endif
