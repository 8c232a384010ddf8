/* A finished row as programs read it: its `row` record (README, "The report's records"). */
#ifndef BENCH_RECORD_H
#define BENCH_RECORD_H

#include "bench/engine.h"
#include "bench/report.h"

void record_row(struct report *r, const struct engine *e, const struct row *row);

#endif
