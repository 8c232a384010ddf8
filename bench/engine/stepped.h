/*
 * Counts the instructions of one operation by single-stepping (docs/checks.md "Instructions"): the
 * row's code with few operations and with twice as many, and the same for the empty body.
 */
#ifndef BENCH_ENGINE_STEPPED_H
#define BENCH_ENGINE_STEPPED_H

#include "bench/engine/context.h"

/* Limits of a window in steps: of a row that can do few operations per call, and of others. With
 * twice the operations twice as many. */
#define STEPPED_WINDOW 300
#define STEPPED_HARD   30000
/* Limits in microseconds: of all windows of a row that keeps to STEPPED_WINDOW, and of one window
 * of any other row, but at most a part of deadline=. */
#define STEPPED_US      2000
#define STEPPED_HARD_US 1000000
/* Limit in steps of a window as long as the timed ones. */
#define STEPPED_LENGTH 8000

/*
 * Steps windows of a row of an object that are as long as the timed ones, in the state that these
 * left, and fills row->stepped.left (docs/checks.md "History"). Called after the row's last window
 * and before its check. Returns the operations that were done for it. A fault or the deadline fails
 * the row, as in its windows.
 */
uint64_t stepped_left(struct engine *e, struct row *row, unsigned placement);

/*
 * Fills the rest of row->stepped, with fresh data. Called between row.begin() and row.end() after
 * the row's last window and its check; e->placed[placement] must still be placed. Does nothing if
 * instructions=off or the row has failed. A fault or the deadline fails the row.
 */
void stepped_row(struct engine *e, struct row *row, unsigned placement);

#endif
