/* The results of what a method measures before the first row (bench/method/ahead.h). */
#ifndef BENCH_MODEL_AHEAD_H
#define BENCH_MODEL_AHEAD_H

#include <stdint.h>
#include "bench/model/row.h"

/* method=ensembles: the bare window with one recipe. */
struct bare_window {
    const char *why_not; /* why this CPU lacks the recipe; NULL: there are figures */
    struct method_side side;
};

/* method=plain: the table of the small C program. */

struct c_program {
    const char *why_not; /* why its functions could not be placed; NULL: there are figures */
    uint32_t readings;   /* of the warm-up: xfence; rdtsc. 0: windows instead, as warmup= says */
    uint32_t warmup;     /* windows */
    struct {
        const char *name;   /* of C_STEP_NAMES */
        struct moments all; /* of samples whose operation did not fail, ticks */
        uint64_t least, greatest, errors;
        const char *wrong; /* how the function's result is wrong; NULL: it is right */
    } step[C_STEPS];
};

#endif
