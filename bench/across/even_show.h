/* Reports from which count on one series of rows costs less than another. */
#ifndef BENCH_ACROSS_EVEN_SHOW_H
#define BENCH_ACROSS_EVEN_SHOW_H

#include "bench/api/report.h"
#include "bench/model/facts.h"

/*
 * Writes, after compare_rows(), an event `breaks_even` for each series (`at` in bench/api/bench.h)
 * in which at least two rows and the rows that they are compared with have figures. figures: as for
 * compare_rows().
 */
void even_show(struct report *r, const struct run_facts *run, const struct core_figure *figures);

#endif
