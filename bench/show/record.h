/* A finished row as programs read it: its `row` record (README, "The report's records"). */
#ifndef BENCH_SHOW_RECORD_H
#define BENCH_SHOW_RECORD_H

#include "bench/api/report.h"
#include "bench/measure/engine.h"

void record_row(struct report *r, const struct engine *e, const struct row *row);

#endif
