/*
 * The result of every kind that measures points, such as a curve over sizes or over
 * counts: plain data. A map of store forwarding has its many points in compact cells.
 */
#ifndef BENCH_RESULT_SERIES_H
#define BENCH_RESULT_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bench/result/row.h"
#include "lib/cpu/caches.h"
#include "lib/curve/levels.h"
#include "lib/curve/sizes.h"
#include "lib/curve/curve_steps.h"
#include "lib/curve/cache_line.h"

#define SERIES_POINTS (CURVE_POINTS_MOST > SIZES_MOST ? CURVE_POINTS_MOST : SIZES_MOST)

/* One point. Figures are per operation. */
struct point {
    int64_t x;             /* bytes, a count, or another point of enum bench_by */
    double ticks;          /* UNKNOWN: no figure */
    double cycles, lo, hi; /* core cycles or instructions, and their interval; if several cores
                            * measure, each of which has a clock, that of the ticks */
    uint64_t set;          /* bytes of each core, where several measure */
    unsigned visits;       /* measurements, each with the code and data at another place */
    bool shared;           /* a neighbour used the core: not judged */
};

/* The reason why the levels or steps of a series are not judged. */
enum series_spoiled {
    SERIES_CLEAN,
    SERIES_SHARED,    /* a neighbour used the core at most points */
    SERIES_FALLS,     /* a point takes less time than a smaller one, which cannot be */
    SERIES_UNCERTAIN, /* the points at a step were measured on a shared core, or their intervals
                       * overlap */
    SERIES_COUNTED,
    SERIES_EMULATED,
    SERIES_NOT_JUDGED /* its kind has no rule for levels or steps */
};

struct series {
    struct outcome out;
    bool less_time;   /* the largest points are missing: they would have taken too long */
    unsigned rounds;  /* passes over the points */
    uint64_t checked; /* elements of all checks of an order, or operations that were timed */
    size_t n;
    struct point point[SERIES_POINTS]; /* ascending */
    enum series_spoiled spoiled;
    uint64_t falls_at; /* SERIES_FALLS: a point */
    size_t levels;     /* ranges of points with nearly one figure */
    struct level level[LEVELS_MOST];
    size_t steps; /* between points */
    struct curve_step step[CURVE_STEPS_MOST];

    /* Of a curve over sizes: */
    uint64_t wanted;      /* bytes up to which sizes were asked for */
    uint64_t page;        /* size of the pages */
    bool less_memory;     /* the largest size is smaller, because there is too little memory */
    const char *prefetch; /* the state of the prefetchers meanwhile: "on"; NULL: not known */
    int node;             /* of the core */
    unsigned caches;
    struct cache cache[CACHES_MAX]; /* of the core, by CPUID */
};

/* Returns whether the series is a result, and a neighbour used the core at one of its points. */
static inline bool series_is_shared(const struct series *s)
{
    for (size_t i = 0; i < s->n && s->out.status == ROW_OK; i++)
        if (s->point[i].shared)
            return true;
    return false;
}

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
