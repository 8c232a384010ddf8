/*
 * Reads the rows of a user object (bench/api/baretick.h) from its bytes. Checks everything:
 * pointers by their relocations, texts for their NUL, numbers for their limits. Does not run code
 * of the object.
 */
#ifndef BENCH_OBJECTS_OBJECT_ROWS_H
#define BENCH_OBJECTS_OBJECT_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include "bench/api/bench.h"
#include "bench/objects/object_args.h"
#include "lib/object/elf.h"
#include "lib/text/sink.h"

#define OBJECT_WHAT_MOST 100     /* bytes of `what` */
#define OBJECT_OPS_MOST  1000000 /* operations per window */

/* The data read of one row. Texts are in the object, except a suite that the file's name gives. */
struct object_row {
    struct bench bench;
    struct bench_code code; /* the target of bench.code, once the row is in its final place */
    struct object_names names;
};

/* Counts the rows that the object declares: pointers in its section `baretick_rows_v1`. False: the
 * section is missing, invalid or empty; `err` has a message. */
bool object_rows_count(const struct elf *e, size_t *n, struct sink *err);

/*
 * Reads row i and its arguments (object_args_apply() makes a row of each). `suite` is for rows that
 * name no suite. False: a message names the object, the row if its name is known, and what is
 * wrong.
 */
bool object_rows_read(const struct elf *e, size_t i, const char *suite, struct object_row *row,
                      struct object_args *args, struct sink *err);

#endif
