/* Brings the other cores up, step by step, from the list of cores to cores that can be called. */
#ifndef KERNEL_CORES_BRING_UP_H
#define KERNEL_CORES_BRING_UP_H

#include "kernel/cores/cores.h"

/* Returns the bytes of arena that cores_bring_up() takes for this number of cores. */
uint64_t cores_cost(const struct handoff *h);

/* Runs on the boot core. The caller fills c->given; all else is zero. Records in c->facts and
 * c->why_alone which cores are not available and why. NULL, or why nothing can be measured. */
const char *cores_bring_up(struct cores *c);

#endif
