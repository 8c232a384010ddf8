/*
 * Where a row's code, stack and data stand. One placement cannot know what a relaunch will give
 * (docs/method.md "Samples"): the default is up to 16, drawn from the seed; `fixed` is one,
 * aligned; `sweep` goes through 64 offsets of code, then of stack, then of data.
 */
#ifndef BENCH_PLACE_LAYOUT_H
#define BENCH_PLACE_LAYOUT_H

#include <stdint.h>
#include "bench/model/sweep.h"
#include "lib/config/options.h"

#define LAYOUT_SHUFFLED 16 /* docs/method.md: 8 to 16 re-placements */
#define LAYOUT_WINDOWS  64 /* of a kind, at the least, that are worth a placement of their own */

#define LAYOUT_DATA_MOST 4096 /* `data` of every placement is below */
struct placement {
    uint32_t line;  /* lines of 64 bytes that the code is moved on by, 0..63 */
    uint32_t code;  /* the body's first byte in its line, 0..63 */
    uint32_t stack; /* bytes the stack is moved down by, a multiple of 16, below 4096 */
    uint32_t data;  /* bytes the object is moved on by, a multiple of 8, below 4096 */
};

/* How many placements a row gets that takes `samples` windows of each kind. */
unsigned layout_count(const struct options *o, uint32_t samples);
/* The i-th of them. */
struct placement layout_at(const struct options *o, unsigned i);

#endif
