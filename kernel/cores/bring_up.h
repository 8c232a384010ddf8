/* From "there are other cores" to cores that can be called: the steps, in their order. */
#ifndef KERNEL_CORES_BRING_UP_H
#define KERNEL_CORES_BRING_UP_H

#include "kernel/cores/cores.h"

/* Bytes of arena that cores_bring_up() takes for this number of cores. */
uint64_t cores_cost(const struct handoff *h);

/* On the boot core; c->given is filled, all else zero. Cores that cannot be had are named in
 * c->facts and c->why_alone. NULL, or why nothing can be measured. */
const char *cores_bring_up(struct cores *c);

#endif
