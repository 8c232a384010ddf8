/*
 * Takes plain windows of several kinds alternately, for the checks before the first row. Blocks,
 * order (forward and back) and dither are those of a row, so that a drift of the core's clock
 * affects all kinds equally.
 */
#ifndef BENCH_ENGINE_INTERLEAVE_H
#define BENCH_ENGINE_INTERLEAVE_H

#include <stddef.h>
#include "bench/engine/context.h"
#include "bench/engine/window.h"

#define INTERLEAVE_KINDS 16
#define INTERLEAVE_ROUND 512 /* most windows of each kind that are judged together */
/* Words of engine memory that it uses. */
#define INTERLEAVE_NEED ((INTERLEAVE_KINDS + 2) * INTERLEAVE_ROUND)

/* The result of one kind's undisturbed windows. */
struct interleaved {
    size_t n;
    double location; /* their mean; UNKNOWN: there are no such windows */
};

/* Returns the number of windows of each kind that interleave() takes if n, at least 1, are asked
 * for: n rounded up to equal rounds of whole blocks, forward and back. */
size_t interleave_windows(size_t n);

/*
 * Takes interleave_windows(n) windows of each of `kinds` (at most INTERLEAVE_KINDS). Repeats shared
 * blocks (witness.h) a few times while witness_may_search() allows it, then excludes them. The
 * ticks of the last round's windows stay in e->memory, kind after kind.
 */
void interleave(struct engine *e, const window_fn *fn, unsigned kinds, size_t n,
                struct interleaved *kind);

#endif
