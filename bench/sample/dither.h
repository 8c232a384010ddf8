/* A window's delay before its first reading (docs/method.md "The step"). */
#ifndef BENCH_SAMPLE_DITHER_H
#define BENCH_SAMPLE_DITHER_H

#include <stdint.h>
#include "bench/context/context.h"

#define DITHER_GOLDEN                                                                              \
    0x9e3779b97f4a7c15ull /* 2^64 / phi: frac(i * 0.618...) as a 64-bit fraction */

/* Returns the delay of a kind's i-th window, in core cycles: below one step, spread evenly. */
static inline uint64_t dither(const struct engine *e, uint64_t i)
{
    return (i * DITHER_GOLDEN >> 32) * e->step_cycles >> 32;
}

#endif
