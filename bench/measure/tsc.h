/* The time between things that are not measured: progress, warm-up budgets. Fenced, not a recipe.
 */
#ifndef BENCH_MEASURE_TSC_H
#define BENCH_MEASURE_TSC_H

#include <stdint.h>

static inline uint64_t tsc_now(void)
{
    uint32_t lo, hi;
    __asm__ volatile("lfence; rdtsc; lfence" : "=a"(lo), "=d"(hi) : : "memory");
    return (uint64_t)hi << 32 | lo;
}

#endif
