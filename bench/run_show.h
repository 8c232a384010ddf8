/* Rows that came to their end: shown and counted. */
#ifndef BENCH_RUN_SHOW_H
#define BENCH_RUN_SHOW_H

#include "bench/run_state.h"

/* The heading above the first row of a suite that is shown. */
void run_show_suite(struct run *run, const struct bench *b);
/* A row that the report has, by the facts of its core. */
void run_count(struct run *run, const struct row *row, const struct run_facts *facts);
/* The row that came to its end on the plan's k-th core, if it did, with all that is told of it. */
void run_show_row(struct run *run, unsigned k);

#endif
