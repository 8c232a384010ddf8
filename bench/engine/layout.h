/*
 * The placements of a row, and how its windows are divided among them.
 *
 * A placement is the addresses of the row's code, stack and data. One placement does not predict
 * another launch (docs/figure.md "Placements"). The default is up to 16, drawn from the seed;
 * `fixed` is one, aligned; `sweep` uses 64 offsets of code, then of stack, then of data.
 *
 * A part of the windows (docs/figure.md "Rounds") is a number of blocks at one placement in one
 * round. In the order of taking, the parts of a round are adjacent, and so are the parts of a
 * placement. If a row has more placements than rounds, each placement is one part. If it has
 * fewer, a placement's blocks are divided among several rounds.
 */
#ifndef BENCH_ENGINE_LAYOUT_H
#define BENCH_ENGINE_LAYOUT_H

#include <stddef.h>
#include <stdint.h>
#include "bench/result/sweep.h"
#include "lib/config/options.h"

#define LAYOUT_SHUFFLED 16 /* docs/figure.md "Placements" */
#define LAYOUT_WINDOWS  64 /* least windows of a kind per placement */

#define LAYOUT_DATA_MOST 4096 /* `data` of every placement is below this */
struct placement {
    uint32_t line;  /* 64-byte lines that the code is moved up by, 0..63 */
    uint32_t code;  /* offset of the body's first byte in its line, 0..63 */
    uint32_t stack; /* bytes that the stack is moved down by, a multiple of 16, below 4096 */
    uint32_t data;  /* bytes that the object is moved up by, a multiple of 8, below 4096 */
};

/* Returns the number of placements of a row that takes `samples` windows of each kind. */
unsigned layout_count(const struct options *o, uint32_t samples);
/* Returns the i-th of them. */
struct placement layout_at(const struct options *o, unsigned i);

/* --- parts ------------------------------------------------------------------------------------ */

#define PARTS_LEAST_BLOCKS 2 /* of a kind in a part: one forward, one back */

/* All parts of a row. */
struct parts {
    size_t windows; /* of each kind */
    unsigned placements, rounds, count;
};

/* One part. */
struct part_place {
    unsigned placement, round;
    size_t windows, blocks; /* of each kind; an even number of blocks */
};

/* Returns the windows of each kind that a row takes: samples=, or the number that a sweep needs. */
size_t parts_windows(const struct options *o, uint32_t samples);
/* Return the number of parts and of rounds, if `rounds` are asked for. There are fewer rounds if
 * the windows are too few for two blocks per part. */
unsigned parts_count(const struct options *o, uint32_t samples, unsigned rounds);
unsigned parts_rounds(const struct options *o, uint32_t samples, unsigned rounds);
/* Return upper bounds: the windows and the blocks of the largest part, and the blocks of all. */
size_t parts_windows_most(const struct options *o, uint32_t samples, unsigned rounds);
size_t parts_blocks_most(const struct options *o, uint32_t samples, unsigned rounds);
size_t parts_blocks(const struct options *o, uint32_t samples, unsigned rounds);

void parts_of(struct parts *parts, const struct options *o, uint32_t samples, unsigned rounds);
/* Return the i-th part; the index of a round's first part, `count` for the round after the last. */
struct part_place parts_at(const struct parts *parts, unsigned i);
unsigned parts_first(const struct parts *parts, unsigned round);

#endif
