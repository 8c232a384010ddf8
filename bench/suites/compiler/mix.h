/* One source, compiled where its caller can see it and where it cannot. */
#ifndef BENCH_SUITES_COMPILER_MIX_H
#define BENCH_SUITES_COMPILER_MIX_H

#include <stdint.h>

/* Does work that no arithmetic identity shortens: a round of MurmurHash3's finaliser. */
static inline uint32_t compiler_mix_text(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x85ebca6b;
    return x ^ x >> 13;
}

#endif
