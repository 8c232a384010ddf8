/* The MTRRs of the running core into lib/cpu/mtrr.h's shape. */
#ifndef KERNEL_CPU_MTRR_READ_H
#define KERNEL_CPU_MTRR_READ_H

#include "lib/cpu/cpu.h"
#include "lib/cpu/mtrr.h"

/* False: the CPU has none (memory types are then the page tables' alone). The traps must be
 * loaded. */
bool mtrr_read(struct mtrr *m, const struct cpu *cpu);

#endif
