/* The C bodies of suite `sum`; they stand in another object than the rows. */
#ifndef BENCH_SUITES_SUM_SUM_H
#define BENCH_SUITES_SUM_SUM_H

#include "bench/api/bench.h"

#define SUM_INTS 10000

#pragma GCC visibility push(hidden)

/*
 * n / SUM_INTS passes over the array in the object's room; each adds the array's sum to the
 * counter. Where n is no multiple of SUM_INTS the rest is not done, and is returned.
 */
int sum_pass(uint64_t n, struct object *o);
int sum_empty(uint64_t n, struct object *o);

#pragma GCC visibility pop

#endif
