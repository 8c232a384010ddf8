/* The result of a curve over sizes on one core (bench/kinds/curve_kind.c): plain data. */
#ifndef BENCH_RESULT_CURVE_H
#define BENCH_RESULT_CURVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bench/result/row.h"
#include "lib/cpu/caches.h"
#include "lib/curve/levels.h"
#include "lib/curve/sizes.h"
#include "lib/curve/curve_steps.h"
#include "lib/curve/cache_line.h"

/* One size, or another point (enum bench_by). Figures are per operation. */
struct curve_point {
    uint64_t bytes;        /* or the offset, converted to this type; enum line_state; cores; MB/s */
    double ticks;          /* UNKNOWN: no figure */
    double cycles, lo, hi; /* core cycles or instructions, and their interval; if several cores
                            * measure, each of which has a clock, that of the ticks */
    uint64_t set;          /* bytes of each core, where several measure */
    unsigned visits;       /* measurements, each with another order of the elements */
    bool shared;           /* a neighbour used the core: not judged */
};

/* The reason why a curve's levels are not judged. */
enum curve_spoiled { CURVE_CLEAN, CURVE_SHARED, CURVE_FALLS, CURVE_EMULATED };

struct curve {
    struct outcome out;
    uint64_t wanted;      /* bytes up to which sizes were asked for */
    uint64_t page;        /* size of the pages */
    const char *prefetch; /* the state of the prefetchers meanwhile: "on"; NULL: not known */
    bool less_memory;     /* the largest size is smaller, because there is too little memory, ... */
    bool less_time;       /* ... or because larger ones would have taken too long */
    uint64_t elements;    /* visited in all checks of an order */
    unsigned rounds;      /* passes over the sizes */
    size_t n;
    struct curve_point point[SIZES_MOST];
    size_t levels;
    struct level level[LEVELS_MOST];
    enum curve_spoiled spoiled;
    uint64_t falls_at; /* CURVE_FALLS: bytes */
    unsigned caches;
    struct cache cache[CACHES_MAX]; /* of the core, by CPUID */
};

/* Finds the levels of a curve with all its points, compares them with the caches, and judges
 * whether the curve is spoiled. */
void curve_judge(struct curve *c);

/* The result of a curve over a count on one core (bench/kinds/limit_kind.c): plain data. */

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

/* The result of a map of store forwarding on one core (bench/kinds/forward_kind.c): plain data. */

/* One offset. Figures are of a store and the load after it. */
struct forward_cell {
    float ticks;          /* UNKNOWN: no figure */
    float cycles, lo, hi; /* core cycles or instructions, and the range of all visits */
};

struct forward_map {
    struct outcome out;
    unsigned sizes;   /* 1, 2, 4 ...: the number of sizes that this CPU has */
    unsigned visits;  /* measurements of each cell, each at another place */
    bool shared;      /* a neighbour used the core for most of the visits: not judged */
    uint64_t checked; /* stores and loads whose values were checked */
    struct forward_cell cell[FORWARD_ALL];
    char how[FORWARD_ALL]; /* enum forward_how */
};

/* Returns the index of the first cell of a store and a load: 1 << s and 1 << l bytes. */
static inline unsigned forward_first(unsigned sizes, unsigned s, unsigned l)
{
    unsigned first = 0;

    for (unsigned i = 0; i < s * sizes + l; i++)
        first += forward_cells(1u << i / sizes, 1u << i % sizes);
    return first;
}

#endif
