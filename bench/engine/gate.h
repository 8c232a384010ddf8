/* Lets cores that measure a row together begin each placement at the same time (barrier.h). */
#ifndef BENCH_ENGINE_GATE_H
#define BENCH_ENGINE_GATE_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/engine/barrier.h"
#include "bench/engine/context.h"

struct gate {
    struct barrier *barrier;
    unsigned place;
    const unsigned *list; /* the cores, by place */
    bool missed;          /* a core did not come in time, so this one's row has failed */
};

/*
 * Passes at once if no other core measures. Otherwise waits for the others, for a time that depends
 * on the duration of this core's previous placement (`ticks`). False: one did not arrive; the row
 * says which.
 */
bool gate_pass(const struct engine *e, uint64_t ticks, struct outcome *out);

/* Returns how long gate_pass() waits, in ticks. */
uint64_t gate_patience(const struct engine *e, uint64_t ticks);

#endif
