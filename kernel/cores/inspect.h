/* Reads a core's place, microcode, TSC_ADJUST, and how its features and MTRRs differ from the boot
 * core's. */
#ifndef KERNEL_CORES_INSPECT_H
#define KERNEL_CORES_INSPECT_H

#include "kernel/cores/cores.h"

/* Fills the core's entries of place, facts and texts in c->cores. Runs on the core `c` itself, once
 * its number is known; on the boot core first. */
void core_inspect(const struct core *c);

#endif
