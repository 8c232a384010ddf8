/* TSCs compared, and how long it takes to wake or to interrupt a core. On the boot core. */
#ifndef KERNEL_CORES_TIME_H
#define KERNEL_CORES_TIME_H

#include "kernel/cores/cores.h"

/* Core i's TSC against the boot core's, into its facts. False: it did not answer. */
bool time_compare_tsc(struct cores *all, unsigned i);
/* struct platform_cores says what these are. */
bool time_wake(struct cores *all, unsigned i, int64_t *ticks);
bool time_ipi(struct cores *all, unsigned i, int64_t *ticks);

#endif
