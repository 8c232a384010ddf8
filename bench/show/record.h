/* Writes the `row` record of a finished row (docs/report.md). */
#ifndef BENCH_SHOW_RECORD_H
#define BENCH_SHOW_RECORD_H

#include "bench/api/report.h"
#include "bench/model/facts.h"

void record_row(struct report *r, const struct run_facts *run, const struct row *row);

#endif
