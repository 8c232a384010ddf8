/*
 * The small C program that many people begin with, step by step as it does it: a warm-up, then N
 * samples of nothing, N of a call of an empty function, N of a call of a function that counts; of
 * each the minimum, maximum, mean and standard deviation, with nothing subtracted. Taken once
 * before the first row with method=plain, for those who know its table.
 */
#ifndef BENCH_MEASURE_C_PROGRAM_H
#define BENCH_MEASURE_C_PROGRAM_H

#include "bench/measure/context.h"
#include "bench/measure/tsc.h"

enum c_step { C_BASELINE, C_DO_NOTHING, C_DO_SOMETHING, C_STEPS };
extern const char *const c_step_names[C_STEPS]; /* "baseline", "do_nothing", "do_something" */

struct c_program {
    const char *why_not; /* its functions could not be placed; NULL: there are figures */
    uint32_t readings;   /* of warm-up: xfence; rdtsc. 0: windows in their place, as warmup= says */
    uint32_t warmup;     /* windows */
    struct {
        struct moments all; /* of samples whose operation did not fail, ticks */
        uint64_t least, greatest, errors;
        const char *wrong; /* what the function should have left behind and did not; NULL: it did */
    } step[C_STEPS];
};

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
    return e->o->method == METHOD_PLAIN && !options_give(e->o, "warmup");
}

/* On the boot core, by the recipe in use. */
void c_program(struct engine *e, struct c_program *c);

#endif
