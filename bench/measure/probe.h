/*
 * Before the first row: what executes this code, how fine its clock is, how many ticks a core cycle
 * has, and what each recipe hides of a chain whose length is known.
 */
#ifndef BENCH_MEASURE_PROBE_H
#define BENCH_MEASURE_PROBE_H

#include "bench/context/context.h"
#include "bench/model/probe.h"

/* Measures all of it; sets e's execution, step and ticks_per_cycle. */
void probe_run(struct engine *e, struct probe *p);

/* The same for the recipe in use alone: for a core that is not the first to be probed. */
void probe_core(struct engine *e, struct probe *p);

struct probe_check probe_judge(const struct engine *e, const struct probe *p);

#endif
