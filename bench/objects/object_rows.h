/*
 * The rows of an object of a person's own (bench/api/baretick.h), read from its bytes. Everything
 * is checked: pointers by their relocations, texts by their NUL, numbers by their limits. Nothing
 * of the object runs here.
 */
#ifndef BENCH_OBJECTS_OBJECT_ROWS_H
#define BENCH_OBJECTS_OBJECT_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include "bench/api/bench.h"
#include "bench/objects/object_args.h"
#include "lib/object/elf.h"
#include "lib/text/sink.h"

#define OBJECT_WHAT_MOST 100     /* of `what` */
#define OBJECT_OPS_MOST  1000000 /* operations a window */

/* What is read of one row. Texts lie in the object, but for a suite that the file names. */
struct object_row {
    struct bench bench;
    struct bench_code code; /* what bench.code points to, once the row stands still */
    struct object_names names;
};

/* How many rows the object says that it has: pointers in its section `baretick_rows_v1`. False: it
 * has no such section, or one that is none, or no pointer in it; a message says so. */
bool object_rows_count(const struct elf *e, size_t *n, struct sink *err);

/*
 * Row i, and its arguments (object_args_apply() makes a row of each). `suite` is for rows that name
 * none. False: a message for people that names the object, the row where it has a name, and what is
 * wrong.
 */
bool object_rows_read(const struct elf *e, size_t i, const char *suite, struct object_row *row,
                      struct object_args *args, struct sink *err);

#endif
