/* Reports suite `quiet`, which is not a row: a table with a line per core, a record `gaps` per
 * core, and a record `quiet` for all of them. */
#ifndef BENCH_OUTPUT_QUIET_SHOW_H
#define BENCH_OUTPUT_QUIET_SHOW_H

#include "bench/output/quiet_sum.h"
#include "bench/api/report.h"

void quiet_heading(struct report *r, const struct run_facts *run, const char *suite);

/* Returns the result of gaps_max=. */
enum quiet_result quiet_show(const struct quiet *q, struct report *r);

#endif
