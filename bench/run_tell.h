/* Writes the events of a run that are not rows. */
#ifndef BENCH_RUN_TELL_H
#define BENCH_RUN_TELL_H

#include "bench/run_state.h"

/* Reports once that the k-th core of the plan faulted; its earlier results are kept. */
void run_tell_gone(const struct run *run, unsigned k, const char *during);
/* Reports that the core's figures are not comparable with the others': a failure of the run. */
void run_tell_unlike(const struct run *run, unsigned k);
/* Reports NMIs and machine checks, which cannot be masked; b NULL: after the last row. */
void run_tell_interruptions(const struct run *run, uint64_t nmis, const struct bench *b);
/* Names the timers that failed while a row ran on the k-th core of the plan. */
void run_tell_timers(const struct run *run, unsigned k, const struct row *row);
/* Warns if a counter of retired instructions disagrees with the row's stepped count. */
void run_tell_unlike_steps(const struct run *run, const struct row *row);
/* Warns if there is one round because the memory is too small for more. */
void run_tell_one_round(const struct run *run);
/* Warns if a row's guess exceeds the deadline by so much that the row is likely to be aborted. */
void run_warn_of_deadline(const struct run *run, const struct bench *b);
/* Reports a row that was aborted and has no figures, if it was: a failure of the run. */
void run_tell_ended(const struct run *run, const struct row *row);
/* Reports that no row has figures: a failure of the run. */
void run_tell_nothing_measured(const struct run *run);

#endif
