/*
 * The arguments of a user row: its field `args` (bench/api/baretick.h) as values, and their rows.
 */
#ifndef BENCH_OBJECTS_OBJECT_ARGS_H
#define BENCH_OBJECTS_OBJECT_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bench/api/baretick.h"
#include "bench/api/bench.h"
#include "lib/text/sink.h"

#define OBJECT_NAME_MOST 40 /* bytes of a suite's or row's name */
#define OBJECT_ARGS_MOST 32 /* arguments of a row */

/* The values of a row's argument, ascending; count 0: the row has no argument. */
struct object_args {
    uint32_t count, value[OBJECT_ARGS_MOST];
};

/* The texts of bench.name and bench.compared_with of the row of one argument. */
struct object_names {
    char name[OBJECT_NAME_MOST + 1], compared_with[OBJECT_NAME_MOST + 1];
};

/* Fills values, ascending; count 0: no argument. False: a message names the field and its limits.
 */
bool object_args_list(const struct baretick_args *args, struct object_args *values,
                      struct sink *why);

/*
 * Changes a row into the row of this argument: named "name/8", compared with "other/8" if it is
 * compared with another row, and with its units multiplied by the argument. `names` must not move.
 */
bool object_args_apply(struct bench *b, struct bench_code *code, struct object_names *names,
                       uint32_t arg, struct sink *why);

#endif
