/*
 * How long a run still takes. Each row's time is guessed from what its windows are made of; what
 * the rows that are done took, against their guesses, corrects the rest: those of the same suite,
 * where there are any. The row that runs counts by the part of it that is done.
 */
#ifndef BENCH_PROGRESS_H
#define BENCH_PROGRESS_H

#include <stddef.h>
#include "bench/api/bench.h"
#include "bench/measure/context.h"

/* Ticks that a row may take on one core, before anything is known of it. */
double progress_guess(const struct engine *e, const struct bench *b);

/* Rows that are done: what they were guessed to take, and what they took. */
struct progress_sum {
    double guess, taken;
};

/* All zero: nothing is done. */
struct progress {
    size_t rows;
    struct progress_sum all, suite; /* of the run; of the suite whose rows run now */
    double told;                    /* ticks for showing and recording rows, which is no row's */
};

/* Rows that have not begun. */
struct progress_rest {
    size_t rows;
    double suite, other; /* guesses: of the suite whose rows run now, of later ones */
};

void progress_suite(struct progress *p);
void progress_row(struct progress *p, double guess, double taken, double told);

/* Ticks that are left, when `part` (0 to 1) of a row with this guess has taken so many ticks. */
double progress_left(const struct progress *p, const struct progress_rest *rest, double guess,
                     double part, double taken);

#endif
