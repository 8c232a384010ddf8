/*
 * Accesses at an offset: loads and stores that cross a line or a page, and loads about one page
 * after a store. The operation is a load of 8 bytes that waits for the one before, a store of 8
 * bytes, or such a store and a load of 8 bytes whose value the next store writes.
 */
#ifndef BENCH_KINDS_NEAR_H
#define BENCH_KINDS_NEAR_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/api/bench.h"

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
