/* Shows a curve over a count (suite `limits`): its steps in the table, and a record. */
#ifndef BENCH_OUTPUT_LIMIT_SHOW_H
#define BENCH_OUTPUT_LIMIT_SHOW_H

#include "bench/api/report.h"
#include "bench/result/facts.h"
#include "bench/result/limit.h"

/* Writes the suite's heading to the table. */
void limit_heading(struct report *r, const struct run_facts *run, const char *suite);
/* run: of the curve's core. */
void limit_show(const struct run_facts *run, const struct limit *l, struct report *r);

#endif
