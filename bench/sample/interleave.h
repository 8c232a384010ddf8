/*
 * Plain windows of several kinds in turn, for what is judged before the first row: the same blocks,
 * the same order there and back, and the same dither as a row's, so that a drift of the core's
 * clock hits all alike.
 */
#ifndef BENCH_SAMPLE_INTERLEAVE_H
#define BENCH_SAMPLE_INTERLEAVE_H

#include <stddef.h>
#include "bench/context/context.h"
#include "bench/window/window.h"

#define INTERLEAVE_KINDS 16
#define INTERLEAVE_ROUND 512 /* windows of each kind that are judged together, at most */
/* Words of engine memory it uses. */
#define INTERLEAVE_NEED ((INTERLEAVE_KINDS + 2) * INTERLEAVE_ROUND)

/* What one kind's undisturbed windows came to. */
struct interleaved {
    size_t n;
    double location; /* their mean; UNKNOWN: there are none */
};

/* How many windows of each kind interleave() takes where n, at least 1, are asked for: equal rounds
 * of whole blocks, there and back. */
size_t interleave_windows(size_t n);

/*
 * interleave_windows(n) windows of each of `kinds` (at most INTERLEAVE_KINDS). Blocks that somebody
 * else shared (own.h) are taken again some times, while own_may_search(), then left out. The deltas
 * of the last round stay in e->memory, kind after kind.
 */
void interleave(struct engine *e, const window_fn *fn, unsigned kinds, size_t n,
                struct interleaved *kind);

#endif
