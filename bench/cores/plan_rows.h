/* What the cores of a plan measure: their probes, and rows on one of them or on all at once. */
#ifndef BENCH_CORES_PLAN_ROWS_H
#define BENCH_CORES_PLAN_ROWS_H

#include <stddef.h>
#include "bench/cores/plan.h"
#include "bench/measure/probe.h"

/* Measures the k-th core's own step and ruler, and starts its own counter of core cycles: its probe
 * is in plan->probe then, what its counter is worth in plan->counter. Nothing to do for the boot
 * core. False: the core is gone. */
bool plan_probe(struct plan *plan, unsigned k);

/*
 * Measures row `index` of the registry on the k-th core alone, as much of it as is due in
 * plan->round. After the last round plan_row() has its result.
 */
void plan_measure(struct plan *plan, const struct bench *b, size_t index, unsigned k);

/* The same on each core alone, then on all at once that had a figure alone. */
void plan_measure_together(struct plan *plan, const struct bench *b, size_t index);

/* Before the last round: ends row `index` on the k-th core with the rounds that it has, if
 * any. */
void plan_end(struct plan *plan, size_t index, unsigned k);

/* Whole rounds that a row has on a core; where there is but one, it is not kept: 0. */
unsigned plan_rounds_of(const struct plan *plan, size_t index, unsigned k);

/* What a row has gathered on a core; NULL: nothing, or there is but one round. */
const struct gathered *plan_gathered(const struct plan *plan, size_t index, unsigned k);

/* Ticks that the row which came to its end last was stepped for, on all cores. */
uint64_t plan_stepped(const struct plan *plan);

/* The row that came to its end on the k-th core, which the last calls above were about. NULL: the
 * core was gone before, or the run was stopped first. Valid until the next row is measured. */
const struct row *plan_row(const struct plan *plan, unsigned k);

/* After the last row: counters are left as they were found, each by its own core. */
void plan_release(struct plan *plan);

/* NMIs and machine checks on all cores since their last rows. */
uint64_t plan_interruptions(struct plan *plan);

#endif
