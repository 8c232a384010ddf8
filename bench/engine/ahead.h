/* Measurements that methods make once, before the first row, on the boot core. */
#ifndef BENCH_ENGINE_AHEAD_H
#define BENCH_ENGINE_AHEAD_H

#include "bench/api/tsc.h"
#include "bench/engine/context.h"
#include "bench/result/probe.h"

/*
 * method=ensembles: measures the bare window with each recipe. Paoloni does this before any
 * measurement (324264, 3.2): a method whose empty window is not ergodic is not suitable for a body.
 * Takes ensembles= times size= windows of each; fewer and smaller ensembles if they would take more
 * than 1 s: some recipes take 10,000 ticks per window in a guest.
 */
void bare_windows(const struct engine *e, struct bare_window window[RECIPE_COUNT]);

/*
 * method=plain: repeats the small C program that many people begin with, for users who know its
 * table: a warm-up, then N samples of nothing, N of a call of an empty function, and N of a call of
 * a function that counts, with the recipe in use. Gives the minimum, maximum, mean and standard
 * deviation of each, with nothing subtracted.
 */
void c_program(struct engine *e, struct c_program *c);

/* That program's warm-up: `xfence; rdtsc`, this many times. */
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

#endif
