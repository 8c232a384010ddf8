/*
 * The rows of this image and of user objects, sorted by suite and name (str_order sorts numbers in
 * names by value), and the selection of rows for a run.
 */
#ifndef BENCH_API_REGISTRY_H
#define BENCH_API_REGISTRY_H

#include <stdbool.h>
#include <stddef.h>
#include "bench/api/bench.h"
#include "lib/config/options.h"
#include "lib/text/sink.h"

#define REGISTRY_MOST 1024 /* rows */

/* Adds a row without copying it. False: a row with this suite and name exists, or there are
 * REGISTRY_MOST rows; *why says which. */
bool registry_add(const struct bench *b, const char **why);

/* Returns the bytes of the data buffer: PLATFORM_DATA_SIZE, plus the largest room that a row asks
 * for if that exceeds OBJECT_ROOM, in whole pages. */
size_t registry_data_size(void);

/* Returns all rows, ascending by suite, then name; *n gets their number. */
const struct bench *const *registry(size_t *n);

/* Sets, after all sources of options, the defaults that the selected rows decide: cores=. */
void registry_settle(struct options *o);

/* Returns whether suite= and bench= select this row. Rows on request are selected only by their
 * suite's name without a wildcard. */
bool registry_selects(const struct options *o, const struct bench *b);

/* Returns whether every pattern of suite= and bench= selects a row. If not, writes a message that
 * names the pattern and the available names. */
bool registry_check(const struct options *o, struct sink *err);

/* Writes all suites and rows for `list`, with what one operation is. */
void registry_list(struct sink *out);

#endif
