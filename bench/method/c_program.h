/*
 * Repeats the small C program that many people begin with: a warm-up, then N samples of nothing, N
 * of a call of an empty function, and N of a call of a function that counts. Reports the minimum,
 * maximum, mean and standard deviation of each, with nothing subtracted. Runs once before the first
 * row with method=plain, for users who know its table.
 */
#ifndef BENCH_METHOD_C_PROGRAM_H
#define BENCH_METHOD_C_PROGRAM_H

#include "bench/context/context.h"
#include "bench/api/tsc.h"
#include "bench/model/ahead.h"

/* The program's warm-up: `xfence; rdtsc`, this many times. */
#define C_READINGS 3
static inline void c_program_readings(const struct engine *e)
{
    for (unsigned i = 0; i < C_READINGS; i++)
        tsc_now_xfence(e->xfence_is_lfence);
}

/* Returns whether this warm-up is used: with method=plain if warmup= is not given. */
static inline bool c_program_warms(const struct engine *e)
{
    return e->facts.o->method == METHOD_PLAIN && !options_give(e->facts.o, "warmup");
}

/* Runs the program on the boot core, with the recipe in use. */
void c_program(struct engine *e, struct c_program *c);

#endif
