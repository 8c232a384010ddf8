/* Shows a curve over sizes (suite `memory`): lines in the table and a record. */
#ifndef BENCH_OUTPUT_CURVE_SHOW_H
#define BENCH_OUTPUT_CURVE_SHOW_H

#include "bench/api/report.h"
#include "bench/result/curve.h"
#include "bench/result/facts.h"

/* Writes the suite's heading to the table. */
void curve_heading(struct report *r, const struct run_facts *run, const char *suite);
/* run: of the curve's core. */
void curve_show(const struct run_facts *run, const struct curve *c, struct report *r);

#endif
