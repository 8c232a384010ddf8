/*
 * Chooses the addresses of a row's code, stack and data. One placement does not predict another
 * launch (docs/figure.md "Placements"). The default is up to 16, drawn from the seed; `fixed` is
 * one, aligned; `sweep` uses 64 offsets of code, then of stack, then of data.
 */
#ifndef BENCH_PLACE_LAYOUT_H
#define BENCH_PLACE_LAYOUT_H

#include <stdint.h>
#include "bench/model/sweep.h"
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

#endif
