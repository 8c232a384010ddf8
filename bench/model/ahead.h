/* What a method measures before the first row (bench/method/bare.h, c_program.h). */
#ifndef BENCH_MODEL_AHEAD_H
#define BENCH_MODEL_AHEAD_H

#include <stdint.h>
#include "bench/model/row.h"

/* method=ensembles: the bare window by one recipe. */
struct bare_window {
    const char *why_not; /* the recipe is not on this CPU; NULL: there are figures */
    struct method_side side;
};

/* method=plain: the table of the small C program. */

struct c_program {
    const char *why_not; /* its functions could not be placed; NULL: there are figures */
    uint32_t readings;   /* of warm-up: xfence; rdtsc. 0: windows in their place, as warmup= says */
    uint32_t warmup;     /* windows */
    struct {
        const char *name;   /* "baseline", "do_nothing", "do_something" */
        struct moments all; /* of samples whose operation did not fail, ticks */
        uint64_t least, greatest, errors;
        const char *wrong; /* what the function should have left behind and did not; NULL: it did */
    } step[C_STEPS];
};

#endif
