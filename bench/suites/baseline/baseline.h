/* The C bodies of suite `baseline`, which are in another object than the rows. */
#ifndef BENCH_SUITES_BASELINE_BASELINE_H
#define BENCH_SUITES_BASELINE_BASELINE_H

#include "bench/api/bench.h"

int baseline_do_nothing(uint64_t n, struct object *o);
int baseline_do_something(uint64_t n, struct object *o);

#endif
