/*
 * A run, for run.c and the units next to it: its state, and its parts. run_show.c shows and counts
 * rows that have ended, run_progress.c shows the progress, run_stop.c writes the events that are
 * not rows, and ends a run that the user stopped.
 */
#ifndef BENCH_RUN_RUN_STATE_H
#define BENCH_RUN_RUN_STATE_H

#include "bench/engine/plan.h"
#include "bench/output/summary.h"
#include "bench/run/progress.h"
#include "bench/output/grouped.h"

/* One run: its plan, its rows, and its progress. */
struct run {
    struct plan *plan;
    struct report *report;
    struct summary *summary;
    struct grouped *grouped;
    const struct engine *first; /* of the plan's first core; represents all cores in the report */
    const struct bench *const *rows;
    size_t n;                    /* rows of the registry */
    size_t selected;             /* rows that are run */
    size_t at;                   /* index of the current row, ... */
    uint64_t row_began, showing; /* ... the TSC at its begin, the ticks used for showing it, ... */
    unsigned cores_done;         /* ... and the cores on which it is done, if one by one */
    size_t passed;               /* rows that are done in this round */
    size_t measured;             /* rows that have figures, or a fault or a failed check */
    char not_measured[200];      /* the first row that was not measured, and why; "": all were */
    const char *suite;           /* the suite that is shown; ... */
    bool headed;                 /* ... its heading is written */
    struct progress progress;
    /* The TSC when the run and the suite began, and at the last progress line that stays. */
    uint64_t began, suite_began, stayed;
};

/* Returns whether this is the last round, in which rows end and are shown. */
static inline bool run_is_last_round(const struct run *run)
{
    return run->plan->round + 1 == run->plan->rounds;
}

/* Shows each row with the complete rounds that it has, and how to measure the rest. under_way: a
 * row was being measured. */
void run_stop(struct run *run, bool under_way);

/* --- run_progress.c --------------------------------------------------------------------------- */

/* Begin the progress of a run, and of a suite in it. */
void run_progress_begin(struct run *run);
void run_progress_suite(struct run *run);
/* Shows the progress. part: the fraction of the current row that is done, 0 to 1. */
void run_progress_show(struct run *run, double part);
/* Records that a turn of the current row is over, and its time, separately that of its stepping. */
void run_progress_turn(struct run *run);

/* --- run_show.c ------------------------------------------------------------------------------- */

/* Writes the heading above the first row of a suite that is shown. */
void run_show_suite(struct run *run, const struct bench *b);
/* Shows what a kind will measure on the plan's k-th core (bench/api/kind.h). */
void run_show_plan(struct run *run, const struct outcome *out, unsigned k);
/* Shows and counts a result of the plan's k-th core, or of all cores, with its events. */
void run_show(struct run *run, const struct outcome *out, unsigned k);

/* --- run_stop.c ------------------------------------------------------------------------------- */

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
void run_tell_ended(const struct run *run, const struct outcome *out);
/* Reports that no row has figures: a failure of the run. */
void run_tell_nothing_measured(const struct run *run);

#endif
