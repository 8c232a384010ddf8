/*
 * A store and a load after it, at an offset from the store. The next store writes the value of this
 * load. Sizes are 1 to 64 bytes; up to 8 bytes use a general register, more use a vector register.
 * Between a general and a vector register there is a move. Pairs with 32 bytes need AVX, those with
 * 64 need AVX-512.
 */
#ifndef BENCH_KINDS_FORWARD_KIND_H
#define BENCH_KINDS_FORWARD_KIND_H

#include <stdbool.h>
#include <stdint.h>
#include "lib/curve/cache_line.h"

#define FORWARD_UNROLL 16   /* operations of an iteration of the walks; as in forward_kind.asm */
#define FORWARD_BYTES  4096 /* of the memory that a place needs: a page */

/* Stores *value first; it gets what was loaded last, with zeros up to the size of its register.
 * Returns the ticks between the two readings. */
typedef uint64_t forward_walk(uint8_t *store, uint8_t *load, uint64_t iterations, uint8_t *value);

/* [s][l]: the walk of a store of 1 << s bytes and a load of 1 << l bytes (forward_kind.asm). */
extern forward_walk *const forward_walks[FORWARD_SIZES][FORWARD_SIZES];

struct forward_place {
    forward_walk *walk;
    unsigned store_bytes, load_bytes;
    uint8_t *store, *load;
};

/* Prepares a place in FORWARD_BYTES bytes at `at`, a page. The store and every load of this size
 * are in one line if they fit; else the store is at the beginning of a line. */
void forward_place_build(struct forward_place *p, unsigned s, unsigned l, int offset, uint8_t *at);

#endif
