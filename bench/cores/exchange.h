/*
 * A cache line that goes to and fro between two cores: what one way takes, and how far apart their
 * TSCs are. Lies in memory that both see. Every wait is bounded.
 */
#ifndef BENCH_CORES_EXCHANGE_H
#define BENCH_CORES_EXCHANGE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "bench/context/barrier.h"

#define EXCHANGE_BATCHES 33 /* at the most; odd, so that one is in the middle */

struct exchange {
    unsigned batches, turns; /* turns there and back in each batch */
    bool stamped;            /* each turn carries the other's TSC; else as fast as it goes */
    bool yield;              /* one thread runs all cores in turn: give way at each look */
    uint64_t patience;       /* ticks that a turn is waited for at the most */

    _Alignas(BARRIER_LINE) _Atomic uint64_t ball; /* odd: the second's move, even: the first's */
    uint64_t stamp;                               /* the second's TSC as it moved */

    _Alignas(BARRIER_LINE) uint64_t moves[2]; /* that each counted; written when it is done */
    uint64_t ticks[EXCHANGE_BATCHES];         /* of the first: a batch */
    int64_t ahead_most, ahead_least;          /* stamped: the second's TSC is ahead, within these */
    uint64_t backwards; /* stamped: turns in which the second's TSC was behind what it answered */
};

/* A new game; fewer turns where not silicon: each costs an emulator a change of cores. */
void exchange_init(struct exchange *x, bool stamped, bool silicon, uint64_t patience);

/* What side 0 and side 1 do, at the same time. */
void exchange_play(struct exchange *x, unsigned side);

/* Whether both made every move. */
bool exchange_complete(const struct exchange *x);

#endif
