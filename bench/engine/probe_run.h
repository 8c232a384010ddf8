/*
 * Measures, before the first row: the execution, the TSC's step, the ticks per core cycle, and what
 * each recipe hides of a chain of known length.
 */
#ifndef BENCH_ENGINE_PROBE_RUN_H
#define BENCH_ENGINE_PROBE_RUN_H

#include "bench/engine/context.h"
#include "bench/result/probe.h"

/* Measures all of it; sets e's execution, step and ticks_per_cycle. */
void probe_run(struct engine *e, struct probe *p);

/* The same only for the recipe in use: for a core that is not the first to be probed. */
void probe_core(struct engine *e, struct probe *p);

struct probe_check probe_judge(const struct engine *e, const struct probe *p);

/*
 * Takes windows over growing bodies, for a line through their minima for each recipe
 * (lib/stats/literature.h). The bodies are chains of 0, 16, 32 ... 1008 dependent adds; in an
 * emulator there are 8 of them: 0, 128, ... 896 adds. Paoloni's bodies grow by one iteration of a
 * loop, from 0 to 999, with 100,000 windows each, which takes 1.5 minutes. These bodies are 64 of
 * his 1000, straight code in place of iterations, and limited in time.
 */

/* Returns the ticks of 10 ms: the time for a recipe's windows that are only reported. */
double growing_ticks(const struct engine *e);

/*
 * Sets least[i] to the least window over i * growing_step() adds, in ticks. Takes the bodies in
 * blocks, forward and back. On silicon takes the number of windows that fits into 10 ms, at least 2
 * and at most 64 per body. Elsewhere takes 2, because windows are exact or noise. Returns the
 * number of windows per body.
 */
unsigned growing_take(const struct engine *e, enum recipe recipe, uint64_t least[GROWING_BODIES]);

#endif
