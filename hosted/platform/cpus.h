/*
 * The CPUs that this process may use, as bench/api/platform.h's cores. Core 0 is the one that the
 * process is pinned to, the others follow ascending. Alone: the process moves to the core, and
 * back. Together: a process for each core, whose memory is its own but for the platform's.
 */
#ifndef HOSTED_PLATFORM_CPUS_H
#define HOSTED_PLATFORM_CPUS_H

#include "bench/api/platform.h"
#include "bench/cores/exchange.h"
#include "hosted/platform/process.h"

/* The CPUs in the order of the cores; *n gets their number. The process is pinned. */
const int *cores_of_process(const struct process *p, unsigned *n);

/* Looks at each core, and compares their TSCs by a game in `x`, which lies in shared memory. After
 * cores_of_process() and witness_open(). NULL: no memory for the CPUs' data. */
const struct platform_cores *cores_open(const struct platform *p, struct exchange *x);

#endif
