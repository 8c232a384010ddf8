/*
 * How a row's windows are dealt out (docs/method.md "Rounds"): into parts, each some blocks at one
 * placement in one round. In the order in which they are taken, parts of a round stand together,
 * and so do parts of a placement. Where a row has more placements than rounds, each is one part;
 * where it has fewer, each gets a part of its blocks in several rounds.
 */
#ifndef BENCH_PLACE_PARTS_H
#define BENCH_PLACE_PARTS_H

#include <stddef.h>
#include <stdint.h>
#include "bench/place/layout.h"

#define PARTS_LEAST_BLOCKS 2   /* of a kind in a part: one there, one back */
#define PARTS_MOST         192 /* a sweep's placements: there are at most 64 rounds */
_Static_assert(LAYOUT_MAX <= PARTS_MOST && ROUNDS_MOST <= PARTS_MOST, "PARTS_MOST is too small");

/* All of a row. */
struct parts {
    size_t windows; /* of each kind */
    unsigned placements, rounds, count;
};

/* One of them. */
struct part_place {
    unsigned placement, round;
    size_t windows, blocks; /* of each kind; an even number of blocks */
};

/* Windows of each kind that a row takes: samples=, or as many as a sweep's placements need. */
size_t parts_windows(const struct options *o, uint32_t samples);
/* How many parts and rounds there are, where this number of rounds is asked for: fewer where the
 * windows would not make two blocks a part. */
unsigned parts_count(const struct options *o, uint32_t samples, unsigned rounds);
unsigned parts_rounds(const struct options *o, uint32_t samples, unsigned rounds);
/* Windows and blocks of the largest part, and of all parts, at the most. */
size_t parts_windows_most(const struct options *o, uint32_t samples, unsigned rounds);
size_t parts_blocks_most(const struct options *o, uint32_t samples, unsigned rounds);
size_t parts_blocks(const struct options *o, uint32_t samples, unsigned rounds);

void parts_of(struct parts *parts, const struct options *o, uint32_t samples, unsigned rounds);
/* The i-th part, and the first part of a round; that of the round behind the last is `count`. */
struct part_place parts_at(const struct parts *parts, unsigned i);
unsigned parts_first(const struct parts *parts, unsigned round);

#endif
