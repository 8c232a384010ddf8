/* Runs a row of several cores and computes its figures. */
#ifndef BENCH_KINDS_CROWD_RUN_H
#define BENCH_KINDS_CROWD_RUN_H

#include "bench/kinds/crowd.h"
#include "bench/kinds/plan.h"

/* The reason of a row that has only one core. */
#define CROWD_ALONE "needs two cores or more: cores=all, on a machine that has them"

/* Clears the plan's crowd for a row. crowd_has_two() returns whether two cores or more measure. */
void crowd_begin(struct plan *plan, const struct bench *b);
bool crowd_has_two(const struct plan *plan);

/* Runs the row on the plan's cores. The result is valid until the next such row. */
const struct meeting *crowd_run(struct plan *plan, const struct bench *b);

#endif
