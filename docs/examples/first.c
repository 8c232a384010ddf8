/* The template: one row, of one statement. docs/own-code.md describes how to run it. */
#include "baretick.h"

static uint64_t collatz(uint64_t n)
{
    uint64_t steps = 0;

    for (; n != 1; steps++)
        n = n % 2 ? 3 * n + 1 : n / 2;
    return steps;
}

BARETICK_STATEMENT(first, collatz_27, "the steps from 27 to 1, which are 111", 100,
                   .check = baretick_counted, .least_instructions = 111)
{
    uint64_t n = 27;

    BARETICK_HIDE(n); /* otherwise the compiler computes the result at compile time */
    uint64_t steps = collatz(n);
    BARETICK_KEEP(steps); /* otherwise nothing uses the result, and the compiler removes it */
    o->counter += steps == 111;
}
