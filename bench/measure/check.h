/* Whether what a row's windows did, and the figure they gave, can be true. Each fails the row. */
#ifndef BENCH_MEASURE_CHECK_H
#define BENCH_MEASURE_CHECK_H

#include <stdint.h>
#include "bench/measure/context.h"

/* The object is as so many operations must leave it. */
void check_work(const struct placed *p, uint64_t operations, struct row *row);

/* No operation failed, where one must not; and not all of them: so many windows did not. */
void check_errors(const struct bench *b, uint64_t good, struct row *row);

/*
 * docs/method.md "Elided work" and "Truth": the figure is neither below the row's floor nor apart
 * from what is documented. Only on silicon: elsewhere it is not one of a CPU; and only where the
 * core was ours alone. Sets row->truth.
 */
void check_figure(const struct engine *e, const struct bench *b, struct row *row);

#endif
