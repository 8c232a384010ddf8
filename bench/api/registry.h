/*
 * The rows that this image holds, and those of a person's own objects, sorted by suite and name
 * (str_order: numbers in them by their size); and which of them a run selects.
 */
#ifndef BENCH_API_REGISTRY_H
#define BENCH_API_REGISTRY_H

#include <stdbool.h>
#include <stddef.h>
#include "bench/api/bench.h"
#include "lib/config/options.h"
#include "lib/text/sink.h"

#define REGISTRY_MOST 1024 /* rows */

/* One more row, which stays where it is. False: a row with this suite and name exists, or
 * there are REGISTRY_MOST; *why says which. */
bool registry_add(const struct bench *b, const char **why);

/* Bytes of the data buffer: PLATFORM_DATA_SIZE, and behind it the largest room beyond OBJECT_ROOM
 * that a row asks for, in whole pages. */
size_t registry_data_size(void);

/* All rows, ascending by suite, then name; *n gets their number. */
const struct bench *const *registry(size_t *n);

/* Whether suite= and bench= select this row. Rows on request need their suite's name without a
 * wildcard. */
bool registry_selects(const struct options *o, const struct bench *b);

/* Whether every pattern of suite= and bench= selects a row; if not, a message for people that names
 * the pattern and what there is. */
bool registry_check(const struct options *o, struct sink *err);

/* The whole of `list`: suites, rows, what one operation is. */
void registry_list(struct sink *out);

#endif
