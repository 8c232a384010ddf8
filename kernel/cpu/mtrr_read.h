/* Reads the running core's MTRRs (lib/cpu/mtrr.h). */
#ifndef KERNEL_CPU_MTRR_READ_H
#define KERNEL_CPU_MTRR_READ_H

#include "lib/cpu/cpu.h"
#include "lib/cpu/mtrr.h"

/* False: the CPU has no MTRRs; only the page tables set memory types then. The traps must be
 * loaded. */
bool mtrr_read(struct mtrr *m, const struct cpu *cpu);

#endif
