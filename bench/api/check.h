/*
 * Checks that many rows share (`check` of struct bench, bench.h). NULL: the work was done; else a
 * message that says what is wrong.
 */
#ifndef BENCH_API_CHECK_H
#define BENCH_API_CHECK_H

#include "bench/api/bench.h"

/* The object's counter is the number of operations: each did ++*x. */
const char *check_counted(const struct object *o, uint64_t operations);

#endif
