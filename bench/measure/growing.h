/*
 * Takes windows over growing bodies, for each recipe's line through their minima
 * (lib/stats/regress.h): chains of 0, 16, 32 ... 1008 dependent adds. Paoloni's bodies grow by one
 * iteration of a loop, from 0 to 999, with 100,000 windows each: 1.5 minutes. These are 64 of his
 * 1000, straight code in place of iterations, and bounded in time. In an emulator there are 8: 0,
 * 128, ... 896 adds.
 */
#ifndef BENCH_MEASURE_GROWING_H
#define BENCH_MEASURE_GROWING_H

#include "bench/context/context.h"
#include "bench/model/probe.h"

/* Returns the ticks of 10 ms: the time for a recipe's windows that are only reported. */
double growing_ticks(const struct engine *e);

/*
 * Sets least[i] to the least window over i * growing_step() adds, in ticks. Takes the bodies in
 * blocks, forward and back. On silicon takes as many windows of each as fit into 10 ms, at least 2
 * and at most 64; elsewhere 2, because windows are exact or noise. Returns the number of windows.
 */
unsigned growing_take(const struct engine *e, enum recipe recipe, uint64_t least[GROWING_BODIES]);

#endif
