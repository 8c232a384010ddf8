/* The part of one core in a rendezvous of bench/kinds/shared_curve.c. All data is in memory that
 * the cores share. */
#ifndef BENCH_KINDS_SHARED_CURVE_PART_H
#define BENCH_KINDS_SHARED_CURVE_PART_H

#include "bench/engine/budget.h"
#include "bench/kinds/team.h"
#include "bench/kinds/stream.h"
#include "bench/result/series.h"

#define TOGETHER_LINES  1024 /* of a stream between two looks at the time: 64 KiB */
#define TOGETHER_ROUNDS 5    /* of all cores at once; the figure is their median */
#define TOGETHER_STEPS  7    /* rates of the other cores; at the last one they do nothing */
#define TOGETHER_PAIRS  5    /* of walks at each rate, in as many passes; at each state of a line */
#define TOGETHER_STATES (LINE_STATES - LINE_STATES_ALONE)

struct gathering {
    struct series curve;
    struct team *team; /* its cores have the lines of each core and round, and their ticks */
    const struct bench_curve *kind;
    struct budget budget;
    /* The memory that the cores share: that of the first core's node, and that of the others. */
    unsigned areas;
    struct together_area {
        uint8_t *at;
        uint64_t bytes;
        int node;
        unsigned cores; /* that have a set there */
        struct platform_area area;
    } area[NUMA_NODES];
    uint8_t *set_at[CORE_LIST_MAX]; /* of each place of the team that streams, ... */
    uint64_t set;                   /* ... and its bytes */
    uint8_t *chased;                /* of BENCH_LOADED: the set of the chase, and its map */
    uint64_t chased_bytes;
    uint64_t *map;
    uint64_t duration; /* ticks of a round */
    uint64_t seed;
    unsigned rounds, pairs;                         /* fewer where no CPU executes */
    double latency[TOGETHER_STEPS][TOGETHER_PAIRS]; /* ticks of a load */
    double flush[TOGETHER_STATES][TOGETHER_PAIRS];  /* ticks of a flush */
};

/* Do the part of the core at this place of the team. They return early if a core is missing; then
 * the core is not complete. Its `word` is 1 if a check failed. */
void together_stream(struct gathering *g, unsigned place);
void together_loaded(struct gathering *g, unsigned place);
void together_held(struct gathering *g, unsigned place);

#endif
