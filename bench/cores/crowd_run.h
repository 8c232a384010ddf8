/* Runs a row of several cores and computes its figures. */
#ifndef BENCH_CORES_CROWD_RUN_H
#define BENCH_CORES_CROWD_RUN_H

#include "bench/cores/crowd.h"
#include "bench/cores/plan.h"

/* Runs the row on the plan's cores. The result is valid until the next such row. */
const struct meeting *crowd_run(struct plan *plan, const struct bench *b);

#endif
