/* The MTRRs of the running core into lib/mtrr.h's shape. */
#ifndef KERNEL_MTRR_READ_H
#define KERNEL_MTRR_READ_H

#include "lib/cpu.h"
#include "lib/mtrr.h"

/* False: the CPU has none (memory types are then the page tables' alone). The traps must stand. */
bool mtrr_read(struct mtrr *m, const struct cpu *cpu);

#endif
