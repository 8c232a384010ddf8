/* From which count on does one series of rows cost less than another? */
#ifndef BENCH_ACROSS_EVEN_SHOW_H
#define BENCH_ACROSS_EVEN_SHOW_H

#include "bench/api/report.h"
#include "bench/model/facts.h"

/*
 * After compare_rows(): an event `breaks_even` for each series (`at` in bench/api/bench.h) of which
 * two rows and more have figures, as have those that they stand beside. figures: as there.
 */
void even_show(struct report *r, const struct run_facts *run, const struct core_figure *figures);

#endif
