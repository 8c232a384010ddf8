/* What is found out before the first row (bench/measure/probe.h), and the self-tests of it. */
#ifndef BENCH_MODEL_PROBE_H
#define BENCH_MODEL_PROBE_H

#include <stddef.h>
#include <stdint.h>
#include "bench/api/report.h"
#include "lib/config/recipe.h"
#include "lib/stats/behave.h"
#include "lib/stats/linearity.h"
#include "lib/stats/regress.h"

/* Of the regression (bench/measure/growing.h): bodies at the most, and adds that all stay below. */
#define GROWING_BODIES 64
#define GROWING_ADDS   1024

/* Where windows are exact, or noise, eight bodies show as much as 64, and are translated sooner. */
static inline unsigned growing_bodies(enum execution execution)
{
    return execution == EXEC_SILICON ? GROWING_BODIES : 8;
}

/* Adds that a body has more than the one before it; the first has none. */
static inline unsigned growing_step(enum execution execution)
{
    return GROWING_ADDS / growing_bodies(execution);
}

struct probe {
    struct behave_verdict behave;
    struct {
        const char *why_not;    /* the recipe is not on this CPU */
        size_t windows;         /* a point */
        double ticks_per_cycle; /* in the same windows */
        struct linearity_point point[LINEARITY_POINTS];
        unsigned groups, exclusive;     /* placements times rounds; those on an exclusive core */
        struct linearity_line line;     /* on silicon, through the exclusive ones */
        struct linearity_bend bend;     /* shown by the groups, ... */
        double bend_p;                  /* ... and linearity_bend_p() of that */
        uint64_t least[GROWING_BODIES]; /* window of each growing body */
        unsigned growing;               /* windows each */
        struct regression regression;   /* through these */
    } recipe[RECIPE_COUNT];
};

/* The self-test "linearity": the recipe in use is straight (lib/stats/linearity.h), or fails where
 * it is proven to bend; where instructions are counted no point is off. */
struct probe_check {
    enum selftest result;
    const char *why_not; /* where it is not judged */
    double worst;        /* error of a point, instructions; or its distance from the line, cycles */
    double shadow;       /* core cycles, on silicon */
};

#define CYCLE_COUNTERS 3 /* of the CPU's own: pmc, perf, aperf */

/* The self-test "core_counter": an addition of the ruler is one core cycle by every counter of
 * cycle= that starts. */
struct cycle_check {
    enum selftest result;
    const char *why_not; /* where it is not judged */
    unsigned n;
    struct {
        const char *name;
        double cycles_per_add; /* UNKNOWN: its readings fail */
    } counter[CYCLE_COUNTERS];
};

#endif
