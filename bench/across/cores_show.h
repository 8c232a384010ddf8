/* Reports the cores of the platform, and which of them measure. */
#ifndef BENCH_ACROSS_CORES_SHOW_H
#define BENCH_ACROSS_CORES_SHOW_H

#include "bench/api/report.h"
#include "bench/model/cores.h"

/* Writes, before the rows, a `core` record for each core of the platform; if there are several,
 * also a table. Writes nothing if the platform knows only the running core. */
void cores_show(const struct run_cores *cores, struct report *r);

#endif
