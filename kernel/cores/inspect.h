/* What a core says of itself: its place, microcode, TSC_ADJUST, and how its features and MTRRs
 * differ from the boot core's. */
#ifndef KERNEL_CORES_INSPECT_H
#define KERNEL_CORES_INSPECT_H

#include "kernel/cores/cores.h"

/* On the core `c` itself, whose number is known; the boot core first. Fills its entries of place,
 * facts and texts in c->cores. */
void core_inspect(const struct core *c);

#endif
