/*
 * Checks that many rows share (`check` of struct bench, bench.h). They return NULL if the work was
 * done, else a message that says what is wrong.
 */
#ifndef BENCH_API_COUNTED_H
#define BENCH_API_COUNTED_H

#include "bench/api/bench.h"

/* Checks that the object's counter is the number of operations: each did ++*x. */
const char *check_counted(const struct object *o, uint64_t operations);

#endif
