/*
 * What a row on one core has gathered so far, round after round (docs/method.md "Rounds"): of each
 * part its figures, of each block its value, of all windows a histogram. The windows themselves are
 * not kept, so that its memory is bounded.
 */
#ifndef BENCH_SAMPLE_GATHERED_H
#define BENCH_SAMPLE_GATHERED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bench/context/context.h"
#include "bench/place/parts.h"
#include "bench/place/place.h"
#include "lib/stats/estimate.h"
#include "lib/stats/histogram.h"
#include "lib/stats/moments.h"

/* Bins of the histogram of the body's windows, and of what is subtracted; where a row is done in
 * one go, of either. hist=full: one for each window of the body. */
#define GATHERED_BODY_BINS  512
#define GATHERED_EMPTY_BINS 256
#define GATHERED_BINS       65536

struct gathered {
    struct row row;  /* its status and its counts so far */
    uint64_t ran;    /* ticks of deadline= that its rounds have used */
    unsigned rounds; /* that are whole, ... */
    bool cut;        /* a window was left in the middle: there are no figures */
    unsigned parts;  /* in the order in which they were taken; of each, an operation: */
    double *ticks;   /* UNKNOWN where no block is whole */
    struct estimate_taken *ruler, *counter; /* core cycles, by either; of blocks not shared */
    struct estimate_taken *all;             /* of all blocks, by the source asked for */
    float *level;        /* the witness's highest reading around those not shared */
    size_t whole, quiet; /* blocks of which every kind was taken, and was not shared */
    size_t values;       /* of blocks, cycles an operation by the source asked for, ... */
    double *value;
    uint32_t *placement; /* ... and the placement of each (lib/stats/modes.h) */
    struct histogram body, empty;
    bool used[KINDS];
    double sum[KINDS]; /* of the windows that were not disturbed, ... */
    size_t kept[KINDS];
    struct moments block_variance[KINDS]; /* of a window within its block */
    struct moments counter_rate;          /* core cycles a tick, of blocks */
};

/* Words of memory of one, for this number of rounds. */
size_t gathered_need(const struct options *o, uint32_t samples, unsigned rounds);

/* Empty, its arrays behind it in the same words. */
void gathered_init(struct gathered *g, const struct engine *e);

/* Mean of all windows of a kind that were not disturbed; UNKNOWN: there are none. */
double gathered_location(const struct gathered *g, enum kind k);

#endif
