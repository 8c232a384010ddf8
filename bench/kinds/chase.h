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

/*
 * A chain of jumps: code with an element in each page, which jumps to the next one in a
 * pseudo-random order, in one cycle through all pages. Its time per jump shows the reach of the
 * TLBs for code, and of the branch predictor.
 *
 * Each element adds its own number to a sum. The sum of a lap is known, so that every walk is
 * checked: an element that was left out, or visited twice, is found.
 */

#define JUMPS_LINE  64          /* bytes of an element */
#define JUMPS_REACH 0x7fe00000u /* most bytes of all pages: a jump has 32 bits */

struct jumps {
    struct order order;
    uint8_t *at;         /* the first page, where it is written */
    const uint8_t *code; /* the same, where it is executed */
    uint64_t page;
    uint32_t n;
    uint64_t sum; /* of a lap */
};

/* Writes the code: an element in each page of `bytes` bytes at `at`. Elements of the pages are in
 * different lines, as far as a page has lines: pages may be the same memory. */
void jumps_build(struct jumps *j, uint8_t *at, const uint8_t *code, uint64_t bytes, uint64_t page,
                 uint64_t seed);

/* Walks one lap. Returns the number of elements, 0: not each was visited once. The code must be
 * executable, here and below. */
uint32_t jumps_check(const struct jumps *j);

/* Walks laps, enough for a measurement, and twice as many, after a walk that is not timed. False:
 * an element was not visited. */
struct jumps_ticks {
    uint64_t once, twice, jumps; /* of the first */
};
bool jumps_time(const struct jumps *j, struct jumps_ticks *t);

/* Walks `laps` laps from an element; *sum gets what the elements added. Returns the ticks between
 * the two readings (jumps.asm). */
uint64_t jumps_walk(const uint8_t *first, uint64_t laps, uint64_t *sum);

/*
 * Accesses at an offset: loads and stores that cross a line or a page, and loads about one page
 * after a store. The operation is a load of 8 bytes that waits for the one before, a store of 8
 * bytes, or such a store and a load of 8 bytes whose value the next store writes.
 */

#define NEAR_UNROLL 16    /* operations of an iteration of the walks; as in near.asm */
#define NEAR_BYTES  12288 /* of the memory that a place needs */
/* The offsets of a load from the store before it that fit into this memory. */
#define NEAR_LEAST (-16)
#define NEAR_MOST  4128

typedef uint64_t near_walk(uint8_t *store, uint8_t *load, uint64_t iterations, uint64_t *value);

struct near_place {
    enum bench_load load;
    uint8_t *store, *at; /* at: of the load */
};

/* Prepares a place in NEAR_BYTES bytes at `at`, a page boundary. offset: of a load after a store,
 * from the store; of all others, from the beginning of a page. */
void near_build(struct near_place *p, enum bench_load load, uint8_t *at, int32_t offset);

/* Walks a little. Returns the operations that were done, 0 if the memory or the last value is not
 * what these operations leave. */
uint64_t near_check(const struct near_place *p);

/* Returns the ticks of a number of operations, a multiple of NEAR_UNROLL. */
uint64_t near_time(const struct near_place *p, uint64_t operations);

/* near.asm */
near_walk near_alias, near_store;

#endif
