/*
 * The ruler as a loop, for intervals too long for the code buffer: dependent additions of one core
 * cycle each. The loop's own two instructions overlap with them.
 */
#ifndef BENCH_API_CHAIN_H
#define BENCH_API_CHAIN_H

#include <stdint.h>

/* Executes `adds` additions, at least 64, rounded down to a multiple of 64. */
static inline void chain_adds(uint32_t adds)
{
    uint64_t sum = 1, iterations = adds / 64;

    __asm__ volatile("1:\n\t"
                     ".rept 64\n\t"
                     "add %0, %0\n\t"
                     ".endr\n\t"
                     "dec %1\n\t"
                     "jnz 1b"
                     : "+r"(sum), "+r"(iterations)
                     :
                     : "cc");
}

#endif
