/*
 * One window of a row apart from its measured ones: single-stepped, or run freely to be compared
 * with that. It begins as a placement does, with the row's setup, and its work is checked.
 */
#ifndef BENCH_CHECK_STEP_WINDOW_H
#define BENCH_CHECK_STEP_WINDOW_H

#include "bench/context/context.h"
#include "bench/place/place.h"

/* The row that is stepped. */
struct stepper {
    struct engine *e;
    const struct bench *b;
    struct row *row; /* its `stepped` counts traps, and says why there is no count */
    const struct placed *p;
    uint64_t copies;       /* FORM_STRAIGHT: those that are placed; 0: its windows' own */
    uint64_t most;         /* steps of a window */
    struct timer *counter; /* of retired instructions, around free windows; NULL: none */
    bool wants_more;       /* the check of the last window was not content with its operations */
};

/* Whether what is subtracted turns as often as the body. */
static inline bool stepper_has_twin(const struct stepper *t)
{
    return t->b->form == FORM_LOOP || (t->b->form == FORM_FUNCTION && bench_has_empty(t->b));
}

/* Whether single-stepping works on this core, and what a step takes: e->stepping. Done once. */
void step_try(struct engine *e);

/*
 * Steps through a window of a kind with n operations. False: it is not counted, and
 * row->stepped.why_not says why, or the row has failed: a fault, the deadline.
 */
bool step_window(struct stepper *t, enum kind kind, uint64_t n, struct step_window *counts);

/* Runs it freely: *count is what the counter counted, or without a counter the ticks between the
 * window's two readings. False: as above, or the counter could not be read. */
bool free_window(struct stepper *t, enum kind kind, uint64_t n, uint64_t *count);

#endif
