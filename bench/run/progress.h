/*
 * Estimates the remaining time of a run. A row has one turn in each round.
 * - A row that had a turn before: the time of that turn, times the ratio of this round's turns to
 *   the previous ones. It varies because shared blocks are repeated.
 * - A row that had no turn: a guess from the contents of its windows, times the ratio of the first
 *   turns of earlier rows, of the same suite if possible, to their guesses.
 * - The current turn: by the fraction that is done.
 * - Showing a row: as earlier rows. Before the first one, a guess from the speed of the progress
 *   line, since a serial port may need longer than the rows.
 * - Stepping a row after its last turn (bench/engine/stepped.h), which in a process can take longer
 *   than all the rest: a guess from the time of a step and the length of the row's windows.
 */
#ifndef BENCH_RUN_PROGRESS_H
#define BENCH_RUN_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

/* Turns that are done, in ticks: the guess and the actual time. */
struct progress_sum {
    double guess, taken;
};

/* The work that is done so far; all zero at the beginning. */
struct progress {
    size_t turns, guessed, shown;   /* turns, turns with a guess above 0, rows shown */
    struct progress_sum all, suite; /* of the run; of the current suite */
    struct progress_sum again;      /* of this round; guess: the time of the previous turns */
    struct progress_sum steps;      /* of stepping */
    double showing;                 /* ticks for showing and recording rows */
    double written, lines;          /* bytes of progress lines, and ticks for them */
};

/* The work that remains after the current turn. */
struct progress_rest {
    size_t shown; /* rows to be shown, including the current one */
    /* Ticks of the last turns of rows that last ran in an earlier round, and in this one. */
    double known, fresh;
    double suite, other; /* guesses: of the current suite, of other suites */
    double steps;        /* guess: of stepping, including the current row */
};

/* The current turn. */
struct progress_turn {
    double guess;
    double known; /* ticks of the row's previous turn; 0: it had no turn yet */
    double part;  /* the fraction that is done, 0 to 1 */
    double taken; /* ticks for this fraction */
};

/* Begins a suite. */
void progress_suite(struct progress *p);
/* Begins a round. */
void progress_round(struct progress *p);
/* Record a turn without its stepping: a row's first one; a later one, with the previous time. */
void progress_first(struct progress *p, double guess, double taken);
void progress_again(struct progress *p, double known, double taken);
/* Records the stepping of a row. */
void progress_stepped(struct progress *p, double guess, double taken);
/* Record that `rows` were shown in `ticks`; that a progress line was written. */
void progress_shown(struct progress *p, size_t rows, double ticks);
void progress_line(struct progress *p, size_t bytes, double ticks);

/* Returns the estimate of the remaining ticks. */
double progress_left(const struct progress *p, const struct progress_rest *rest,
                     const struct progress_turn *turn);
/* Returns whether enough is known for an estimate. */
bool progress_is_known(const struct progress *p, const struct progress_turn *turn);

#endif
