/*
 * The same function with `noinline` only, and with `noclone`. Compiled with -O3 (Makefile): gcc
 * then makes a copy of a function for one of several callers. clang makes none, and has no
 * `noclone`: its two functions are the same.
 */
#include "bench/suites/compiler/pass.h"

static __attribute__((noinline)) uint32_t alone(uint32_t x, uint32_t divisor)
{
    return x / divisor;
}

static NOCLONE uint32_t together(uint32_t x, uint32_t divisor)
{
    return x / divisor;
}

/* Another caller, with any divisor. Without it `noclone` does not help: row clone_range. */
uint32_t compiler_divide_otherwise(uint32_t x, uint32_t divisor)
{
    return alone(x, divisor) + together(x, divisor);
}

SUM_PASS(noclone_trap, sum += alone(COMPILER_DIVIDEND(i), COMPILER_DIVISOR))
SUM_PASS(noclone_cure, sum += together(COMPILER_DIVIDEND(i), COMPILER_DIVISOR))
