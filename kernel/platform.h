/* The bare machine as bench/api/platform.h wants it. */
#ifndef KERNEL_PLATFORM_H
#define KERNEL_PLATFORM_H

#include "bench/api/platform.h"
#include "kernel/machine/machine.h"

/* After all the machine_...() steps; takes the sample memory. NULL, or why not. `p` and `m` must
 * stay. */
const char *platform_init(struct platform *p, struct machine *m);

#endif
