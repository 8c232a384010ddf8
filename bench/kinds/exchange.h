/*
 * Moves a cache line between two cores and back, to measure the time of one way and the difference
 * of their TSCs. Its memory is shared by both. Every wait is bounded.
 */
#ifndef BENCH_KINDS_EXCHANGE_H
#define BENCH_KINDS_EXCHANGE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "bench/engine/barrier.h"

#define EXCHANGE_BATCHES 3 /* odd, so that one is the median */

struct exchange {
    unsigned round_trips; /* in each batch */
    bool stamped;         /* each round trip carries the second's TSC; else at full speed */
    bool yield;           /* one thread runs all cores in turn: yield at each poll */
    uint64_t patience;    /* most ticks to wait for a round trip */

    _Alignas(BARRIER_LINE) _Atomic uint64_t ball; /* odd: the second moves; even: the first */
    uint64_t stamp;                               /* the second's TSC at its move */

    _Alignas(BARRIER_LINE) uint64_t moves[2]; /* moves of each side; written at its end */
    uint64_t ticks[EXCHANGE_BATCHES];         /* of each batch, by the first's TSC */
    int64_t ahead_most, ahead_least;          /* stamped: bounds of the second's TSC's lead */
    uint64_t
        backwards; /* stamped: round trips in which the second's TSC was below the first's before */
};

/* Begins a new exchange. Has fewer round trips if not silicon: a round trip costs an emulator a
 * core switch. */
void exchange_init(struct exchange *x, bool stamped, bool silicon, uint64_t patience);

/* Plays side 0 or side 1; both run at the same time. */
void exchange_play(struct exchange *x, unsigned side);

/* Returns whether both made every move. */
bool exchange_complete(const struct exchange *x);

#endif
