/* Which cores the platform has, and which of them measure. */
#ifndef BENCH_ACROSS_CORES_SHOW_H
#define BENCH_ACROSS_CORES_SHOW_H

#include "bench/api/report.h"
#include "bench/model/cores.h"

/* Before the rows: a `core` record for each core of the platform; where there are several, a
 * table. Nothing where the platform knows but one core. */
void cores_show(const struct run_cores *cores, struct report *r);

#endif
