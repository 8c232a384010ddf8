/* Reports how the cost of a user row grows with its argument. */
#ifndef BENCH_ACROSS_GROWTH_SHOW_H
#define BENCH_ACROSS_GROWTH_SHOW_H

#include "bench/api/report.h"
#include "bench/model/facts.h"

/*
 * Writes, after the last row, an event `growth` for each row that has arguments (`args` in
 * bench/api/baretick.h) and a figure for at least one of them. Failed rows are excluded. figures:
 * as for compare_rows().
 */
void growth_show(struct report *r, const struct run_facts *run, const struct core_figure *figures);

#endif
