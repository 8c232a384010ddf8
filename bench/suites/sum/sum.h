/*
 * The C bodies of suite `sum`, in another file than the rows. This suite is declared with the
 * public header, like user code, so that its tests test that header.
 */
#ifndef BENCH_SUITES_SUM_SUM_H
#define BENCH_SUITES_SUM_SUM_H

#include "bench/api/baretick.h"

#define SUM_INTS 10000

#pragma GCC visibility push(hidden)

/*
 * Make n / SUM_INTS passes over the array in the object's room; each adds the array's sum to the
 * counter. If n is not a multiple of SUM_INTS, the rest is not done, and is returned.
 */
int sum_pass(uint64_t n, struct baretick_object *o);
int sum_empty(uint64_t n, struct baretick_object *o);

#pragma GCC visibility pop

#endif
