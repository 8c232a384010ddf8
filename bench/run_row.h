/* One turn of a row: measuring it on each core of the plan, or on all of them, and showing it. */
#ifndef BENCH_RUN_ROW_H
#define BENCH_RUN_ROW_H

#include "bench/run_state.h"

/* Runs this round's iteration of the row run->at. */
void run_row(struct run *run);

#endif
