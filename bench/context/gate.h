/* Where cores measure a row together: all begin each placement at one moment (barrier.h). */
#ifndef BENCH_CONTEXT_GATE_H
#define BENCH_CONTEXT_GATE_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/context/barrier.h"
#include "bench/context/context.h"

struct gate {
    struct barrier *barrier;
    unsigned place;
    const unsigned *list; /* the cores, by place */
};

/*
 * Passes at once where the engine measures alone. The others are waited for by what the placement
 * before took here (`ticks`); false: one did not come, and the row says which.
 */
bool gate_pass(const struct engine *e, uint64_t ticks, struct row *row);

/* For how long, in ticks. */
uint64_t gate_patience(const struct engine *e, uint64_t ticks);

#endif
