/* Implements bench/api/platform.h for the bare machine. */
#ifndef KERNEL_PLATFORM_H
#define KERNEL_PLATFORM_H

#include "bench/api/platform.h"
#include "kernel/machine/machine.h"

/* Fills `p`, and `others` if there are other cores; allocates the sample memory. Call it after all
 * machine_...() steps. All three must stay valid. Returns NULL, or why not. */
const char *platform_init(struct platform *p, struct platform_cores *others, struct machine *m);

#endif
