/* Timed walks in pairs, of a number of operations and of twice as many: the difference is the time
 * of the operations. The ruler or the counter of core cycles is read next to each pair, and the
 * witness around it. */
#ifndef BENCH_MEMORY_PAIRS_H
#define BENCH_MEMORY_PAIRS_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/context/context.h"

#define PAIRS_MOST 10 /* taken at most, to get the wanted ones without a neighbour */

/* The ticks of a pair of walks; `operations` of the first. */
struct pair_ticks {
    uint64_t once, twice, operations;
};
/* Walks the i-th pair, i < PAIRS_MOST. False: a walk did not end where it should. */
typedef bool pair_walks(const void *ctx, unsigned i, struct pair_ticks *t);

/* The median over pairs, per operation. */
struct pairs_figure {
    uint32_t pairs;
    float ticks;  /* UNKNOWN: there is no pair */
    float cycles; /* core cycles, or instructions; UNKNOWN: not known */
    float se;     /* standard error of cycles; UNKNOWN with one pair */
};

/* Takes pairs until `wanted` of them had no neighbour, PAIRS_MOST at most. *quiet: of these; *all:
 * of all. False: a walk went wrong. */
bool pairs_take(struct engine *e, pair_walks *walks, const void *ctx, unsigned wanted,
                struct pairs_figure *quiet, struct pairs_figure *all);

#endif
