/* The result of a map of store forwarding on one core (bench/kinds/forward_kind.c): plain data. */
#ifndef BENCH_RESULT_FORWARD_H
#define BENCH_RESULT_FORWARD_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/result/row.h"
#include "lib/curve/cache_line.h"

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
