/* The benchmark from the first row to the last. */
#ifndef BENCH_RUN_H
#define BENCH_RUN_H

#include <stdbool.h>
#include "bench/api/report.h"
#include "bench/measure/engine.h"

/* Runs every selected row, in order, and reports each. True when a key stopped it before the last
 * one. */
bool bench_run(struct engine *e, struct report *r);

#endif
