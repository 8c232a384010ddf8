/*
 * A row's windows, taken: blocks of one kind, the kinds in ABBA order, placement after placement
 * (docs/method.md "Samples"); then what became of them. Nothing is printed, allocated or mapped in
 * between.
 */
#ifndef BENCH_MEASURE_SAMPLER_H
#define BENCH_MEASURE_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bench/measure/context.h"
#include "bench/measure/layout.h"
#include "bench/measure/place.h"
#include "lib/stats/moments.h"
#include "lib/stats/stats.h"

/* The run of one placement's samples and blocks inside a sampler's arrays. */
struct span {
    size_t from, n;       /* windows of each kind */
    size_t block, blocks; /* an even number of blocks */
    uint32_t warmup_blocks;
    bool steady;
};

/* One block of windows of one kind. */
struct block {
    bool spoiled;           /* an SMI, NMI or machine check came: none of its windows counts */
    double cycles_per_tick; /* by the counter read around it; UNKNOWN: none was, or it failed */
    double ticks;           /* mean of its undisturbed windows (sampler_judge); UNKNOWN: none */
};

struct sampler {
    size_t n;      /* windows of each kind */
    size_t blocks; /* of each kind, over all placements */
    unsigned placements;
    struct span span[LAYOUT_MAX];
    bool used[KINDS];
    uint64_t *samples[KINDS];   /* in the order taken; SAMPLE_FAILED where the operation failed */
    struct block *block[KINDS]; /* in the order taken */
    uint64_t *sorted, *scratch; /* room for all samples of one kind */
    bool cold;                  /* the row's data leaves the caches before each window */
    uint64_t windows[KINDS];    /* run in the present placement, warm-up included */
    struct moments
        counter_rate; /* core cycles a tick, over the blocks the counter was read around */
    uint32_t unread;  /* blocks that it could not be read around */

    /* By sampler_judge. */
    uint32_t errors;
    uint32_t disturbed[KINDS];
    double location[KINDS];               /* mean of all undisturbed windows */
    struct moments block_variance[KINDS]; /* of a window within its block */
};

#define SAMPLE_FAILED UINT64_MAX

/* Windows of each kind that a row takes: samples=, or as many as a sweep's placements need. */
size_t sampler_windows(const struct options *o, uint32_t samples);
/* Blocks of each kind that so many windows make at the most. */
size_t sampler_blocks(size_t windows, unsigned placements);
/* Words of memory that sampler_init carves up for them. */
size_t sampler_need(size_t windows, unsigned placements);

/* In the first words of the engine's memory. */
void sampler_init(struct sampler *s, const struct engine *e, unsigned placements);

/* Warm-up, then all samples of the i-th placement. False: the run is stopped (pace.h). */
bool sampler_take(struct sampler *s, struct engine *e, const struct bench *b,
                  const struct placed *p, unsigned i);

/* Disturbed windows, block means and locations, once all placements are taken. */
void sampler_judge(struct sampler *s, const struct engine *e);

/* All of a kind that did not fail, ascending in s->sorted, and their summary. */
struct summary sampler_summary(struct sampler *s, enum kind k);

#endif
