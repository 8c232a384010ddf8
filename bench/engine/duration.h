/*
 * Guesses how long a row's windows take before they are measured. The first rows correct any factor
 * that all rows share (bench/run/progress.h), so only the ratios between rows matter.
 */
#ifndef BENCH_ENGINE_DURATION_H
#define BENCH_ENGINE_DURATION_H

#include "bench/engine/context.h"
#include "bench/engine/gathered.h"

/* Returns the ticks of a row's windows on one core, in all rounds; 0: the row is not supported. */
double duration_windows(const struct engine *e, const struct bench *b);

/* Returns the ticks of single-stepping the row after its last window; 0: it is not stepped. g: its
 * windows so far, or NULL. */
double duration_steps(const struct engine *e, const struct bench *b, const struct gathered *g);

#endif
