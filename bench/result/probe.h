/* The probe's results before the first row (bench/engine/probe_run.h), and its self-tests. */
#ifndef BENCH_RESULT_PROBE_H
#define BENCH_RESULT_PROBE_H

#include <stddef.h>
#include <stdint.h>
#include "bench/api/report.h"
#include "bench/result/row.h"
#include "lib/config/choices.h"
#include "lib/stats/linearity.h"
#include "lib/stats/literature.h"

/* For the regression (bench/engine/probe_run.h): most bodies, and a limit above the adds of
 * each. */
#define GROWING_BODIES 64
#define GROWING_ADDS   1024

/* Returns the number of bodies. If windows are exact or noise, 8 show as much as 64, and an
 * emulator translates them sooner. */
static inline unsigned growing_bodies(enum execution execution)
{
    return execution == EXEC_SILICON ? GROWING_BODIES : 8;
}

/* Returns the adds that a body has more than the previous one; the first has no adds. */
static inline unsigned growing_step(enum execution execution)
{
    return GROWING_ADDS / growing_bodies(execution);
}

struct probe {
    struct behave_verdict behave;
    struct probe_recipe {
        const char *why_not;    /* why this CPU lacks the recipe */
        size_t windows;         /* per point */
        double ticks_per_cycle; /* in the same windows */
        struct linearity_point point[LINEARITY_POINTS];
        unsigned groups, exclusive;     /* placements times rounds; those on an exclusive core */
        struct linearity_line line;     /* on silicon, through the exclusive groups */
        struct linearity_bend bend;     /* of the groups */
        uint64_t least[GROWING_BODIES]; /* the least window of each growing body */
        unsigned growing;               /* windows of each */
        struct regression regression;   /* through the least windows */
    } recipe[RECIPE_COUNT];
};

/* The self-test "linearity": passes if the recipe in use is straight (lib/stats/linearity.h), fails
 * if it is proven to bend. With counted instructions every point must be exact. */
struct probe_check {
    enum selftest result;
    const char *why_not; /* why it is not judged */
    double worst;        /* error of a point, instructions; or its distance from the line, cycles */
    double shadow;       /* core cycles, on silicon */
};

#define CYCLE_COUNTERS 3 /* counters of the CPU: pmc, perf, aperf */

/* The self-test "core_counter": an addition of the ruler takes one core cycle by every counter of
 * cycle= that starts. */
struct cycle_check {
    enum selftest result;
    const char *why_not; /* why it is not judged */
    unsigned n;
    struct {
        const char *name;
        double cycles_per_add; /* UNKNOWN: its readings fail */
    } counter[CYCLE_COUNTERS];
};

/* --- what a method measures before the first row (bench/engine/ahead.h) ----------------------- */

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
    struct c_program_step {
        const char *name;   /* of C_STEP_NAMES */
        struct moments all; /* of samples whose operation did not fail, ticks */
        uint64_t least, greatest, errors;
        const char *wrong; /* how the function's result is wrong; NULL: it is right */
    } step[C_STEPS];
};

#endif
