/* Rows of several cores, as people read them and as programs do. */
#ifndef BENCH_ACROSS_CROWD_SHOW_H
#define BENCH_ACROSS_CROWD_SHOW_H

#include "bench/api/report.h"
#include "bench/model/cores.h"

/* What stands above the rows of a suite of such. */
void crowd_heading(struct report *r, const struct run_facts *run, const char *suite);

/* One row's line or lines, and its records. */
void crowd_show(const struct meeting *c, struct report *r);

#endif
