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

#endif
