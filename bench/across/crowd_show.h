/* Writes rows of several cores to the table and to the records. */
#ifndef BENCH_ACROSS_CROWD_SHOW_H
#define BENCH_ACROSS_CROWD_SHOW_H

#include "bench/api/report.h"
#include "bench/model/cores.h"

/* Writes the heading above the rows of such a suite. */
void crowd_heading(struct report *r, const struct run_facts *run, const char *suite);

/* Writes one row's lines, and its records. */
void crowd_show(const struct meeting *c, struct report *r);

#endif
