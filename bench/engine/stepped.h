/*
 * Counts the instructions of one operation by single-stepping (docs/checks.md "Instructions"): the
 * row's code with few operations and with twice as many, and the same for the empty body; in the
 * state that the timed windows left, and with fresh data.
 */
#ifndef BENCH_ENGINE_STEPPED_H
#define BENCH_ENGINE_STEPPED_H

#include "bench/engine/context.h"

/* Limits of a window in steps: of a row that can do few operations per call, and of others. With
 * twice the operations twice as many. */
#define STEPPED_WINDOW 300
#define STEPPED_HARD   30000
/* Limits in microseconds: of all windows of a row that keeps to STEPPED_WINDOW, and of one window
 * of any other row, but at most a twelfth of deadline=: there are six such windows. */
#define STEPPED_US      2000
#define STEPPED_HARD_US 1000000
/* Of the windows that have as many operations as the timed ones. */
#define STEPPED_LENGTH_US 200000

/*
 * Fills row->stepped. Called between row.begin() and row.end() after the row's last window and its
 * check; e->placed[placement] must still be placed, with the data that this window left.
 * `operations`: since the setup. Does nothing if instructions=off or the row has
 * failed. A fault or the deadline fails the row, as in its windows.
 */
void stepped_row(struct engine *e, struct row *row, unsigned placement, uint64_t operations);

#endif
