/*
 * The ruler as a loop, for stretches too long for the code buffer: dependent additions, a core
 * cycle each; the loop's own two instructions go beside them.
 */
#ifndef BENCH_API_CHAIN_H
#define BENCH_API_CHAIN_H

#include <stdint.h>

/* At least 64; rounded down to a multiple of that. */
static inline void chain_adds(uint32_t adds)
{
    uint64_t sum = 1, turns = adds / 64;

    __asm__ volatile("1:\n\t"
                     ".rept 64\n\t"
                     "add %0, %0\n\t"
                     ".endr\n\t"
                     "dec %1\n\t"
                     "jnz 1b"
                     : "+r"(sum), "+r"(turns)
                     :
                     : "cc");
}

#endif
