/* Ends a run that the user stopped: shows the results so far, and how to measure the rest. */
#ifndef BENCH_RUN_STOP_H
#define BENCH_RUN_STOP_H

#include "bench/run_state.h"

/* Shows each row with the complete rounds that it has. under_way: a row was being measured. */
void run_stop(struct run *run, bool under_way);

#endif
