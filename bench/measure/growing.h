/*
 * Windows over growing bodies, for each recipe's line through their minima (lib/stats/regress.h):
 * chains of 0, 16, 32 ... 1008 dependent adds. Paoloni's bodies grow by a turn of a loop, from 0 to
 * 999, with 100,000 windows each: a minute and a half. These are 64 of his thousand, straight code
 * in place of a loop's turns, and bounded in time. In an emulator they are 8: 0, 128, ... 896 adds.
 */
#ifndef BENCH_MEASURE_GROWING_H
#define BENCH_MEASURE_GROWING_H

#include "bench/context/context.h"
#include "bench/model/probe.h"

/* Ticks of a hundredth of a second: what the windows of a recipe may take that are for show. */
double growing_ticks(const struct engine *e);

/*
 * least[i]: the least window over i * growing_step() adds, in ticks. The bodies are gone through
 * there and back, in blocks. On silicon as many windows each as a hundredth of a second has room
 * for, 64 at the most, 2 at the least; elsewhere windows are exact or noise, and 2 it is. Returns
 * how many.
 */
unsigned growing_take(const struct engine *e, enum recipe recipe, uint64_t least[GROWING_BODIES]);

#endif
