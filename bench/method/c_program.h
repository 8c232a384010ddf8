/*
 * The small C program that many people begin with, step by step as it does it: a warm-up, then N
 * samples of nothing, N of a call of an empty function, N of a call of a function that counts; of
 * each the minimum, maximum, mean and standard deviation, with nothing subtracted. Taken once
 * before the first row with method=plain, for those who know its table.
 */
#ifndef BENCH_METHOD_C_PROGRAM_H
#define BENCH_METHOD_C_PROGRAM_H

#include "bench/context/context.h"
#include "bench/api/tsc.h"
#include "bench/model/ahead.h"

/* Its warm-up: `xfence; rdtsc`, this many times. */
#define C_READINGS 3
static inline void c_program_readings(const struct engine *e)
{
    for (unsigned i = 0; i < C_READINGS; i++)
        tsc_now_xfence(e->xfence_is_lfence);
}

/* Whether that is the warm-up: by method=plain, where warmup= is not given. */
static inline bool c_program_warms(const struct engine *e)
{
    return e->facts.o->method == METHOD_PLAIN && !options_give(e->facts.o, "warmup");
}

/* On the boot core, by the recipe in use. */
void c_program(struct engine *e, struct c_program *c);

#endif
