/* The bare machine as bench/api/platform.h wants it. */
#ifndef KERNEL_PLATFORM_H
#define KERNEL_PLATFORM_H

#include "bench/api/platform.h"
#include "kernel/machine/machine.h"

/* After all the machine_...() steps; takes the sample memory. NULL, or why not. All three must
 * stay; `others` is filled in where there are other cores. */
const char *platform_init(struct platform *p, struct platform_cores *others, struct machine *m);

#endif
