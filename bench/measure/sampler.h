/*
 * A row's windows, taken: blocks of one kind, the kinds in ABBA order, placement after placement
 * (docs/method.md "Samples"); then what became of them. Nothing is printed, allocated or mapped in between.
 */
#ifndef BENCH_MEASURE_SAMPLER_H
#define BENCH_MEASURE_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bench/measure/place.h"
#include "lib/stats/moments.h"
#include "lib/stats/stats.h"

struct engine;

/* The run of one placement's samples and blocks inside a sampler's arrays. */
struct span {
    size_t from, n;       /* windows of each kind */
    size_t block, blocks; /* an even number of blocks */
    uint32_t warmup_blocks;
    bool steady;
};

struct sampler {
    bool used[KINDS];
    uint64_t *samples[KINDS];   /* in the order taken; SAMPLE_FAILED where the operation failed */
    double *mean[KINDS];        /* of each block's undisturbed windows; NaN: it has none */
    double *cycles[KINDS];      /* the same in core cycles by the counter; NaN: not known */
    uint64_t *sorted, *scratch; /* room for all samples of one kind */
    size_t n;                   /* windows of each kind */
    unsigned placements;
    struct span span[LAYOUT_MAX];
    bool cold;               /* the row's data leaves the caches before each window */
    uint64_t windows[KINDS]; /* run in the present placement, warm-up included */

    uint32_t errors;
    uint32_t disturbed[KINDS];
    double location[KINDS]; /* mean of all undisturbed windows */
    struct moments
        ratio;       /* core cycles a tick by the counter, over all blocks it was read around */
    uint32_t unread; /* blocks that it could not be read around */
    struct moments block_variance[KINDS]; /* of a window within its block */

    double theta[LAYOUT_MAX], used_theta[LAYOUT_MAX]; /* bench/measure/headline.c */
};

#define SAMPLE_FAILED UINT64_MAX

/* Windows of each kind that a row takes: samples=, or as many as a sweep's placements need. */
size_t sampler_windows(const struct options *o, uint32_t samples);
/* Words of memory that sampler_init carves up for that many. */
size_t sampler_need(size_t windows, unsigned placements);

void sampler_init(struct sampler *s, const struct engine *e, unsigned placements);

/* Warm-up, then all samples of the i-th placement. */
void sampler_take(struct sampler *s, struct engine *e, const struct bench *b,
                  const struct placed *p, unsigned i);

/* Disturbed windows, block means and locations, once all placements are taken. */
void sampler_judge(struct sampler *s, const struct engine *e);

/* All of a kind that did not fail, ascending in s->sorted, and their summary. */
struct summary sampler_summary(struct sampler *s, enum kind k);

#endif
