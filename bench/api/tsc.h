/* Readings of the TSC outside windows: for progress, warm-up budgets, gaps. */
#ifndef BENCH_API_TSC_H
#define BENCH_API_TSC_H

#include <stdbool.h>
#include <stdint.h>

static inline uint64_t tsc_now(void)
{
    uint32_t lo, hi;

    __asm__ volatile("lfence; rdtsc; lfence" : "=a"(lo), "=d"(hi) : : "memory");
    return (uint64_t)hi << 32 | lo;
}

/* Reads the TSC without a fence: for a loop that does nothing else. */
static inline uint64_t tsc_unfenced(void)
{
    uint32_t lo, hi;

    __asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi));
    return (uint64_t)hi << 32 | lo;
}

/* Executes xfence; rdtsc: LFENCE on Intel, MFENCE on others (lib/config/choices.h). */
static inline uint64_t tsc_now_xfence(bool is_lfence)
{
    uint32_t lo, hi;

    if (is_lfence)
        __asm__ volatile("lfence; rdtsc" : "=a"(lo), "=d"(hi) : : "memory");
    else
        __asm__ volatile("mfence; rdtsc" : "=a"(lo), "=d"(hi) : : "memory");
    return (uint64_t)hi << 32 | lo;
}

/* Uses RDTSCP, which waits for the instructions before it. CPUID 8000_0001h EDX[27]. */
static inline uint64_t tsc_now_rdtscp(void)
{
    uint32_t lo, hi, aux;

    __asm__ volatile("rdtscp; lfence" : "=a"(lo), "=d"(hi), "=c"(aux) : : "memory");
    return (uint64_t)hi << 32 | lo;
}

/*
 * The ruler as a loop, for intervals too long for the code buffer: dependent additions of one core
 * cycle each. The loop's own two instructions overlap with them.
 */

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
