/*
 * Pairs of timed walks over the same work, once and twice as long, with the witness around each.
 * The difference contains neither the readings of the clock nor the entry and exit of the code.
 * Next to each pair core cycles are measured by the source that cycle= selects.
 */
#ifndef BENCH_ENGINE_PAIRS_H
#define BENCH_ENGINE_PAIRS_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/engine/context.h"

#define PAIRS_MOST 10 /* including repeated ones */

/* The ticks of two walks, and the number of operations by which the second one is longer. */
struct pair_ticks {
    uint64_t once, twice, operations;
};

/* Times the i-th pair. False: a walk did not do its work. */
typedef bool pair_walks(void *ctx, unsigned i, struct pair_ticks *t);

/* The median over pairs: the difference per operation. */
struct pairs_figure {
    uint32_t pairs;
    float ticks;  /* UNKNOWN: there is no pair */
    float cycles; /* core cycles, or instructions; UNKNOWN: not known */
    float se;     /* standard error of cycles; UNKNOWN with one pair */
};

/* Takes pairs until `wanted` of them were without a neighbour, at most PAIRS_MOST. `exclusive` is
 * the figure of these, `all` that of all. Returns false if a walk did not do its work. */
bool pairs_take(struct engine *e, unsigned wanted, pair_walks *walks, void *ctx,
                struct pairs_figure *exclusive, struct pairs_figure *all);

#endif
