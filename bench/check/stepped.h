/*
 * Counts the instructions of one operation by single-stepping (docs/method.md "Instructions"): the
 * row's code with few operations and with twice as many, and the same for the empty body.
 */
#ifndef BENCH_CHECK_STEPPED_H
#define BENCH_CHECK_STEPPED_H

#include "bench/context/context.h"

/* The longest window, in steps, if the row can do that few; and the limit for a row that cannot. */
#define STEPPED_WINDOW 300
#define STEPPED_HARD   30000
/* The time limit of a row, in microseconds, if it can do that few steps; and of one window of a row
 * that cannot, but at most an eighth of deadline=. */
#define STEPPED_US      2000
#define STEPPED_HARD_US 1000000

/*
 * Fills row->stepped. Called between row_begin() and row_end() after the row's last window;
 * e->placed[placement] must still be placed. Does nothing if instructions=off or the row has
 * failed. A fault or the deadline fails the row, as in its windows.
 */
void stepped_row(struct engine *e, struct row *row, unsigned placement);

#endif
