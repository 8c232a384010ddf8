/* Probes the cores of a plan, and measures rows on one core or on all at once. */
#ifndef BENCH_ENGINE_PLAN_ROWS_H
#define BENCH_ENGINE_PLAN_ROWS_H

#include <stddef.h>
#include "bench/api/kind.h"
#include "bench/engine/plan.h"
#include "bench/engine/probe_run.h"

/* The kind of rows with windows (bench/api/kind.h). */
extern const struct kind kind_windows;

/* Measures the k-th core's step and ruler, and starts its counter of core cycles. The probe is then
 * in plan->probe, the check of the counter in plan->counter. Does nothing for the boot core. False:
 * the core is gone. */
bool plan_probe(struct plan *plan, unsigned k);

/* Ends row `index` on the k-th core before the last round, with the rounds that it has, if any. */
void plan_end(struct plan *plan, size_t index, unsigned k);

/* Returns a row's results on a core so far; NULL: no complete round, or the run has only one. */
const struct gathered *plan_gathered(const struct plan *plan, size_t index, unsigned k);

/* Returns the ticks for which the row that ended last was single-stepped, on all cores. */
uint64_t plan_stepped(const struct plan *plan);

/* Returns the current row if it has ended on the k-th core. NULL: the core was gone before, or the
 * run was stopped first. Valid until the next row is measured. */
const struct row *plan_row(const struct plan *plan, unsigned k);

/* Stops the counters after the last row, each on its core, and restores their former state. */
void plan_release(struct plan *plan);

/* Returns the number of NMIs and machine checks on all cores since their last rows. */
uint64_t plan_interruptions(struct plan *plan);

#endif
