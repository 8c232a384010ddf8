/* The result of a curve over a count on one core (bench/kinds/limit_kind.c): plain data. */
#ifndef BENCH_RESULT_LIMIT_H
#define BENCH_RESULT_LIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bench/result/row.h"
#include "lib/curve/curve_steps.h"

/* One count. Figures are per operation. */
struct limit_point {
    uint32_t count;
    uint32_t visits;       /* measurements, each with the code and data at another place */
    double ticks;          /* UNKNOWN: no figure */
    double cycles, lo, hi; /* core cycles or instructions, and their interval */
    bool shared;           /* a neighbour used the core: not judged */
};

/* The reason why a curve's steps are not judged. */
enum limit_spoiled {
    LIMIT_CLEAN,
    LIMIT_SHARED,
    LIMIT_FALLS,     /* the time falls with more fillers, which a window cannot cause */
    LIMIT_UNCERTAIN, /* the counts at a step were measured on a shared core, or their intervals
                      * overlap */
    LIMIT_COUNTED,
    LIMIT_EMULATED
};

struct limit {
    struct outcome out;
    bool less_time;      /* the largest counts are missing: they would have taken too long */
    unsigned rounds;     /* passes over the counts */
    uint64_t operations; /* that were timed */
    size_t n;
    struct limit_point point[CURVE_POINTS_MOST];
    size_t steps;
    struct curve_step step[CURVE_STEPS_MOST];
    enum limit_spoiled spoiled;
    uint32_t falls_at; /* LIMIT_FALLS: a count */
};

#endif
