/* Reports the gap detector's result, which is no row: lines of the table, and a record `gaps`. */
#ifndef BENCH_ACROSS_GAPS_SHOW_H
#define BENCH_ACROSS_GAPS_SHOW_H

#include "bench/api/report.h"
#include "bench/model/cores.h"

void gaps_heading(struct report *r, const char *suite);

/* run: of the core that watched. */
void gaps_show(const struct run_facts *run, const struct watch *w, struct report *r);

#endif
