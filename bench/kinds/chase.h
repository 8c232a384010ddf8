/*
 * A pointer chase over the cache lines of a working set: each line holds the address of the next,
 * in a pseudo-random order or with a stride (lib/curve/sizes.h), in one cycle through all lines.
 * Its time per step is the latency of a load.
 *
 * A walk over all lines before the timed ones checks that the cycle visits every line once, and
 * brings the caches into the state in which one lap after the other keeps them. Every timed walk is
 * checked to end at the line that the order has there.
 */
#ifndef BENCH_KINDS_CHASE_H
#define BENCH_KINDS_CHASE_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/api/bench.h"
#include "lib/curve/sizes.h"

#define CHASE_LINE   64 /* bytes of an element: a cache line of every x86-64 CPU */
#define CHASE_UNROLL 16 /* steps of a timed walk are a multiple of it; as in chase.asm */

struct chase {
    struct order order;
    uint8_t *at;    /* the working set */
    uint64_t apart; /* bytes from one element to the next: CHASE_LINE, or a page */
    uint32_t n;     /* its elements */
    uint64_t *map;  /* n bits, whole words: the lines that a check has seen */
};

/* Returns the bytes of `map` for a working set of this size. */
uint64_t chase_map_bytes(uint64_t bytes);

/* Lays out the chase over `bytes` bytes at `at`: in an order drawn from the seed, or from every
 * stride-th line to the next; with an element in each line, or in each page (`kind`). In pages the
 * elements are in different lines of their page, as far as it has lines: pages may be the same
 * memory. */
void chase_build(struct chase *c, uint8_t *at, uint64_t bytes, uint64_t *map,
                 const struct bench_curve *kind, uint64_t seed);

/* Walks one lap. Returns the number of different lines that it visited, at most n; less than n: the
 * chase is broken. */
uint32_t chase_check(const struct chase *c);

/* A timed walk: where it starts, and its steps; then twice as many steps from its end. */
struct chase_walks {
    uint32_t from;  /* position in the order */
    uint64_t steps; /* a multiple of CHASE_UNROLL */
};
/*
 * Returns the i-th of a series of walks that follow chase_check(), i < CHASE_WALKS. Small sets are
 * walked in whole laps. In large ones the walks of a series share no line.
 */
#define CHASE_WALKS 10
struct chase_walks chase_walks(const struct chase *c, unsigned i);

/* Walks as far as the first walk of a series, if that is whole laps: it restores the caches, in
 * which the check had its map, and the ruler and the witness their data. */
void chase_warm(const struct chase *c);

/* The ticks of `steps` steps, and of twice that. False: a walk did not end at its line. */
struct chase_ticks {
    uint64_t once, twice;
};
bool chase_time(const struct chase *c, const struct chase_walks *w, struct chase_ticks *t);

/* chase.asm */
uint64_t chase_walk(void *const *at, uint64_t iterations, void *const **end);

#endif
