/*
 * Measures the cost of the lfence recipe alone on this CPU: both its readings back to back in a
 * bare loop, ticks per pair, the smallest of many stretches. No harness can take a sample for
 * less.
 */
#include <stdint.h>
#include <stdio.h>
#include "bench/api/tsc.h"

#define PAIRS     2000
#define STRETCHES 500

static uint64_t stretch(void)
{
    uint64_t began = tsc_now();

    for (unsigned i = 0; i < PAIRS; i++)
        __asm__ volatile("lfence; rdtsc; lfence\n\t"
                         "lfence; rdtsc; lfence"
                         :
                         :
                         : "rax", "rdx", "memory");
    return tsc_now() - began;
}

int main(void)
{
    uint64_t least = UINT64_MAX;

    for (unsigned i = 0; i < STRETCHES; i++) {
        uint64_t ticks = stretch();
        least = ticks < least ? ticks : least;
    }
    printf("%.1f\n", (double)least / PAIRS);
    return 0;
}
