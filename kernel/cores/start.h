/* Starts cores: INIT, start-up IPIs, the trampoline below 1 MiB. They do not go back to the
 * firmware. Source: Intel SDM vol. 3A sections 10.4.4.1 and 11.6.1. */
#ifndef KERNEL_CORES_START_H
#define KERNEL_CORES_START_H

#include "kernel/cores/cores.h"

extern const struct core_origin core_started;

/* Returns the bytes of arena that cores_start() takes. */
uint64_t start_cost(unsigned cores);

/* Returns NULL, or why no core can be started. Switches the LAPIC to x2APIC if the ids need it. */
const char *start_refused(struct cores *c);

/* Starts all cores of c->made. Returns when all have arrived or no more arrive. NULL, or why none
 * could be started. */
const char *cores_start(struct cores *c);
/* Returns why core i did not arrive. */
const char *start_why_not(const struct cores *c, unsigned i);

#endif
