/* What a run tells beside its rows: events, each in its place in the report. */
#ifndef BENCH_RUN_TELL_H
#define BENCH_RUN_TELL_H

#include "bench/run_state.h"

/* The k-th core of the plan faulted: it is named once, and what it measured before is kept. */
void run_tell_gone(const struct run *run, unsigned k, const char *during);
/* Its figures cannot stand beside the others': a failure of the run. */
void run_tell_unlike(const struct run *run, unsigned k);
/* NMIs and machine checks, which no masking keeps out; b NULL: after the last row. */
void run_tell_interruptions(const struct run *run, uint64_t nmis, const struct bench *b);
/* Timers that failed while a row ran on the k-th core of the plan, each by its name. */
void run_tell_timers(const struct run *run, unsigned k, const struct row *row);
/* A counter of retired instructions disagrees with what the row's steps came to. */
void run_tell_unlike_steps(const struct run *run, const struct row *row);
/* Rounds were asked for that there is no memory for. */
void run_tell_one_round(const struct run *run);
/* A row's guess is so far beyond the deadline that it is likely to be ended by it. */
void run_warn_of_deadline(const struct run *run, const struct bench *b);
/* A watch that was ended has no figures: a failure of the run. */
void run_tell_ended(const struct run *run, const struct row *row, unsigned core);
/* No row has figures: a failure of the run. */
void run_tell_nothing_measured(const struct run *run);

#endif
