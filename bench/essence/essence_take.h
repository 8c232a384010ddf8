/* What the essence of a run says, taken from the run as it goes: from its machine, and from each
 * row when it is shown. Nothing of it is printed, or measured. */
#ifndef BENCH_ESSENCE_ESSENCE_TAKE_H
#define BENCH_ESSENCE_ESSENCE_TAKE_H

#include "bench/model/facts.h"
#include "bench/essence/board.h"
#include "bench/essence/essence.h"

/* With the head of the report: which machine it is; `cores` of it measure. */
void essence_machine(struct essence *s, const struct run_facts *run, unsigned cores,
                     const struct board *b);

/* Before the first row. `e`: the first core's that measures. */
void essence_begin(struct essence *s, const struct run_facts *run);

/* A row that is at its end, on any core: one of those that the essence shows, of the first core, is
 * kept, and every one is counted. */
void essence_row(struct essence *s, const struct run_facts *run, const struct row *row);

/* After the last one: `smis` came with them. */
void essence_end(struct essence *s, const struct run_facts *run, uint64_t smis);

#endif
