/* Compares TSCs, and measures the time to wake or to interrupt a core. On the boot core. */
#ifndef KERNEL_CORES_TIME_H
#define KERNEL_CORES_TIME_H

#include "kernel/cores/cores.h"

/* Compares core i's TSC with the boot core's and stores the offset in its facts. False: it did not
 * answer. */
bool time_compare_tsc(struct cores *all, unsigned i);
/* Implement wake() and ipi() of struct platform_cores. */
bool time_wake(struct cores *all, unsigned i, int64_t *ticks);
bool time_ipi(struct cores *all, unsigned i, int64_t *ticks);

#endif
