/* A finished row as programs read it: its `row` record (docs/report.md). */
#ifndef BENCH_SHOW_RECORD_H
#define BENCH_SHOW_RECORD_H

#include "bench/api/report.h"
#include "bench/model/facts.h"

void record_row(struct report *r, const struct run_facts *run, const struct row *row);

#endif
