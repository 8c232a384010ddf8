/* A person stops the run: what was measured until then is shown, and how to measure the rest. */
#ifndef BENCH_RUN_STOP_H
#define BENCH_RUN_STOP_H

#include "bench/run_state.h"

/* Shows each row with the whole rounds that it has. under_way: a row was being measured. */
void run_stop(struct run *run, bool under_way);

#endif
