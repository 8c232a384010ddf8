/*
 * Runs one window of a row in addition to the measured ones: single-stepped, or without traps for
 * comparison. As for a placement, the row's setup runs before it, and its work is checked.
 */
#ifndef BENCH_ENGINE_STEP_WINDOW_H
#define BENCH_ENGINE_STEP_WINDOW_H

#include "bench/engine/context.h"
#include "bench/engine/place.h"

/* The row that is stepped. */
struct stepper {
    struct engine *e;
    const struct bench *b;
    struct row *row; /* its `stepped` counts traps, and says why there is no count */
    const struct placed *p;
    uint64_t copies;       /* FORM_STRAIGHT: placed copies; 0: the measured windows' number */
    uint64_t most;         /* most steps of a window */
    struct timer *counter; /* retired instructions, read around free windows; NULL: no counter */
    uint64_t operations;   /* of all windows of the body so far */
    bool wants_more;       /* the row's check rejected the last window's number of operations */
    bool left;             /* windows continue in the state that the last ones left; no check */
};

/* Tests whether single-stepping works on this core, and measures the ticks of a step, once per
 * core. Sets e->facts.stepping. */
void step_try(struct engine *e);

/*
 * Single-steps a window of a kind with n operations. False: it is not counted, and
 * row->stepped.why_not says why; or the row has failed: a fault, the deadline.
 */
bool step_window(struct stepper *t, enum window_kind kind, uint64_t n, struct step_window *counts);

/* Runs it without traps: *count is the count of the counter, or without a counter the ticks between
 * the window's two readings. False: as above, or the counter could not be read. */
bool free_window(struct stepper *t, enum window_kind kind, uint64_t n, uint64_t *count);

#endif
