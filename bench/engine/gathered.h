/*
 * The results of a row on one core so far, round after round (docs/figure.md "Rounds"): the figures
 * of each part, the value of each block, and a histogram of all windows. The windows themselves are
 * not kept, so that the memory is bounded.
 */
#ifndef BENCH_ENGINE_GATHERED_H
#define BENCH_ENGINE_GATHERED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bench/engine/context.h"
#include "bench/engine/layout.h"
#include "bench/engine/place.h"
#include "lib/stats/estimate.h"
#include "lib/stats/histogram.h"
#include "lib/stats/mathx.h"
#include "lib/stats/stats.h"

/* Bins of the histograms of the body's windows, of the empty body's windows, and of either if the
 * row has one round. hist=full: one bin for each window of the body. */
#define GATHERED_BODY_BINS  512
#define GATHERED_EMPTY_BINS 256
#define GATHERED_BINS       65536

/* Twice the body of a part, in ticks per window: the second half, how much more the first half
 * takes, and what the empty window takes besides its loop. UNKNOWN: no such blocks. */
struct part_halves {
    double second, more, window;
};

struct gathered {
    struct row row;  /* its status and its counts so far */
    uint64_t ran;    /* ticks of deadline= that its rounds have used */
    unsigned rounds; /* complete rounds */
    bool cut;        /* a window was aborted: there are no figures */
    unsigned parts;  /* in the order in which they were taken; for each part, per operation: */
    double *ticks;   /* UNKNOWN if no block is complete */
    struct estimate_taken *ruler, *counter; /* core cycles by either source; exclusive blocks */
    struct estimate_taken *all;             /* all blocks, by the source that cycle= selects */
    struct part_halves *halves;             /* of its exclusive blocks */
    float *level;            /* the witness's highest reading around exclusive blocks */
    size_t whole, exclusive; /* blocks that have every kind; those of them that are exclusive */
    size_t values; /* number of block values: core cycles per operation, cycle='s source */
    double *value;
    uint32_t *placement; /* the placement of each value (lib/stats/modes.h) */
    struct histogram body, empty;
    bool used[KINDS];
    double sum[KINDS];                    /* of the undisturbed windows' ticks */
    size_t kept[KINDS];                   /* number of these windows */
    struct moments block_variance[KINDS]; /* of a window within its block */
    struct moments counter_rate;          /* core cycles per tick, of blocks */
};

/* Returns the words of memory for one struct with its arrays, for this number of rounds. */
size_t gathered_need(const struct options *o, uint32_t samples, unsigned rounds);

/* Empties it and puts its arrays after it, in the same memory. */
void gathered_init(struct gathered *g, const struct engine *e);

/* Returns the mean of a kind's undisturbed windows; UNKNOWN: there are no such windows. */
static inline double gathered_location(const struct gathered *g, enum window_kind k)
{
    return g->kept[k] ? g->sum[k] / (double)g->kept[k] : UNKNOWN;
}

#endif
