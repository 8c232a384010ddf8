/*
 * The CPUs that this process may use, as the cores of bench/api/platform.h. Core 0 is the CPU that
 * the process is pinned to; the others follow in ascending order. One at a time: the process moves
 * to the core and back. Together: one process per core, with its own memory except the platform's.
 */
#ifndef HOSTED_PLATFORM_CPUS_H
#define HOSTED_PLATFORM_CPUS_H

#include "bench/api/platform.h"
#include "bench/kinds/exchange.h"
#include "hosted/platform/process.h"

/* Returns the CPUs in the order of the cores; *n gets their number. The process must be pinned. */
const int *cores_of_process(const struct process *p, unsigned *n);

/* Reads each core's properties and compares their TSCs by an exchange in `x`, in shared memory.
 * Call after cores_of_process() and events_open(). NULL: no memory for the CPUs' data. */
const struct platform_cores *cores_open(const struct platform *p, struct exchange *x);

#endif
