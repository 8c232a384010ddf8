/*
 * Instructions of one operation, by single-stepping (docs/method.md "Instructions"): the row's own
 * code, once with few operations and once with twice as many, and the same for what is subtracted.
 */
#ifndef BENCH_CHECK_STEPS_H
#define BENCH_CHECK_STEPS_H

#include "bench/context/context.h"

/* The longest window, in steps, where the row can do so few; and of a row that cannot. */
#define STEPS_WINDOW 300
#define STEPS_HARD   30000
/* What a row may take, in microseconds, where it can do so few; and one window of a row that
 * cannot, which has an eighth of deadline= at the most. */
#define STEPS_US      2000
#define STEPS_HARD_US 1000000

/*
 * Fills row->stepped, between row_begin() and row_end() after the row's last window, whose
 * placement e->placed[placement] still is. Does nothing where instructions=off, or where the row
 * has failed. A fault or the deadline fails the row, as in its windows.
 */
void steps_row(struct engine *e, struct row *row, unsigned placement);

#endif
