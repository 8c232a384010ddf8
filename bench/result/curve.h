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

#endif
