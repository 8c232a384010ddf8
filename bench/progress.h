/*
 * How long a run still takes. A row has a turn in each round. That of a row which had one before
 * takes as long as that did, times what rows now take of their turns before: blocks are taken again
 * while somebody else has part of the core, which comes and goes. Of others it is guessed, from
 * what their windows are made of; what the first turns of the rows before took, against their
 * guesses, corrects that: those of the same suite, where there are any. The turn that runs counts
 * by the part of it that is done. What it takes to show a row is learnt from those that were shown,
 * and before that guessed from how quick the progress line itself is written, since a serial port
 * may need longer than the rows. After its last turn a row is stepped (bench/check/steps.h),
 * which in a process can take longer than all that was before: guessed from what a step takes, and
 * from how long the row's windows are.
 */
#ifndef BENCH_PROGRESS_H
#define BENCH_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include "bench/api/bench.h"
#include "bench/context/context.h"

/* Ticks that a row may take on one core, in all its rounds, before anything is known of it. */
double progress_guess(const struct engine *e, const struct bench *b);

/* Ticks that stepping a row may take on one core. g: what it has gathered so far; NULL: nothing. */
struct gathered;
double progress_guess_steps(const struct engine *e, const struct bench *b,
                            const struct gathered *g);

/* Turns of rows that are done: what they were guessed to take, and what they took. */
struct progress_sum {
    double guess, taken;
};

/* All zero: nothing is done. */
struct progress {
    size_t turns, guessed, shown;   /* turns, those that were guessed to take time, rows shown */
    struct progress_sum all, suite; /* of the run; of the suite whose rows run now */
    struct progress_sum again;      /* of this round; guess: what the turns before took */
    struct progress_sum steps;      /* of stepping */
    double told;                    /* ticks for showing and recording rows, which is no row's */
    double written, lines;          /* bytes of progress lines, and ticks that they took */
};

/* What is still to be done behind the turn that runs. */
struct progress_rest {
    size_t shown; /* rows to be shown, the one that runs included */
    /* Ticks of the last turns of rows: those that last ran in an earlier round, and in this one. */
    double known, fresh;
    double suite, other; /* guesses: of the suite whose rows run now, of others */
    double steps;        /* guess: of stepping, that of the row that runs included */
};

/* The turn that runs. */
struct progress_turn {
    double guess;
    double known; /* ticks that the row's turn before took; 0: it had no turn yet */
    double part;  /* the share of it that is done, 0 to 1 */
    double taken; /* ticks that this share took */
};

void progress_suite(struct progress *p);
/* A round begins. */
void progress_round(struct progress *p);
/* A turn is done, stepping not counted: a row's first; a later one, and what that before took. */
void progress_first(struct progress *p, double guess, double taken);
void progress_again(struct progress *p, double known, double taken);
/* A row was stepped. */
void progress_stepped(struct progress *p, double guess, double taken);
/* `rows` were shown in `ticks`; a progress line was written. */
void progress_told(struct progress *p, size_t rows, double ticks);
void progress_line(struct progress *p, size_t bytes, double ticks);

/* Ticks that are left. */
double progress_left(const struct progress *p, const struct progress_rest *rest,
                     const struct progress_turn *turn);
/* Whether enough is known to say so. */
bool progress_is_known(const struct progress *p, const struct progress_turn *turn);

#endif
