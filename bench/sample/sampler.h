/*
 * One part of a row's windows, taken: blocks of one kind, the kinds in ABBA order
 * (docs/method.md "Samples"); then what became of them. Nothing is printed, allocated or mapped in
 * between.
 */
#ifndef BENCH_SAMPLE_SAMPLER_H
#define BENCH_SAMPLE_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bench/context/context.h"
#include "bench/sample/gathered.h"
#include "bench/place/parts.h"
#include "bench/place/place.h"
#include "bench/place/wide.h"

/* The windows and blocks of each kind in the part that is taken, and how it was warmed up. */
struct span {
    size_t n, blocks; /* an even number of blocks */
    uint32_t warmup_blocks;
    bool steady;
};

/* One block of windows of one kind. */
struct block {
    bool spoiled;           /* an SMI, NMI or machine check came, or a pause in which wide vectors
                             * cooled: none of its windows counts */
    bool shared;            /* somebody else had part of the core (sampler_judge) */
    float before, after;    /* the witness's readings next to it (bench/sample/own.h) */
    double cycles_per_tick; /* by the counter read around it; UNKNOWN: none was, or it failed */
    double ticks;           /* mean of its undisturbed windows (sampler_judge); UNKNOWN: none */
};

struct sampler {
    struct span span;
    bool used[KINDS];
    enum kind order[KINDS];     /* those that are used, ... */
    unsigned kinds;             /* ... and their number */
    uint64_t *samples[KINDS];   /* in the order taken; SAMPLE_FAILED where the operation failed */
    struct block *block[KINDS]; /* in the order taken */
    uint64_t *sorted, *scratch; /* room for all samples of one kind */
    bool cold;                  /* the row's data leaves the caches before each window */
    bool can_fail;              /* its body returns whether an operation failed */
    uint32_t errors_subtracted; /* calls of what is subtracted that returned an error */
    uint32_t errors_outside;    /* operations that failed in warm-up and in twice the body */
    uint64_t windows[KINDS];    /* run in this part, warm-up included */
    struct wide wide;           /* whether the body uses wide vectors, and when it did last */
    uint32_t changed;           /* by the row's windows of this part: window_result */
    uint64_t budget;            /* shared blocks that may still be taken again, ... */
    uint64_t until;             /* ... and the TSC until which */
    struct gathered *gathered;  /* the row's: what is taken again stays in its histogram */
};

#define SAMPLE_FAILED UINT64_MAX

/* Words of memory that a part needs, by its windows and blocks of each kind. */
size_t sampler_need(size_t windows, size_t blocks);

/* In the first words of the engine's memory, for parts of this size. */
void sampler_init(struct sampler *s, const struct engine *e, size_t windows, size_t blocks);

/*
 * Warm-up, then all samples of the part at this placement. False: the run is stopped (pace.h). A
 * run of blocks that was shared goes into the row's histogram and is taken again, within
 * retry_budget= and a tenth of a second a part; but where cores measure together: there the
 * neighbour is the point.
 */
bool sampler_take(struct sampler *s, struct engine *e, const struct bench *b,
                  const struct placed *p, const struct part_place *part);

/* Once it is taken: its block means, and what its windows add to what the row has gathered. */
void sampler_judge(struct sampler *s, struct engine *e, struct gathered *g);

#endif
