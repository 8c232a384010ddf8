/*
 * Takes one part of a row's windows: blocks of one kind, the kinds in ABBA order (docs/window.md
 * "Order and warm-up"). Then judges them. Nothing is printed, allocated or mapped between the
 * windows.
 */
#ifndef BENCH_ENGINE_SAMPLER_H
#define BENCH_ENGINE_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bench/engine/context.h"
#include "bench/engine/gathered.h"
#include "bench/engine/layout.h"
#include "bench/engine/wide.h"
#include "bench/engine/place.h"

/* The windows and blocks of each kind in the current part, and its warm-up. */
struct span {
    size_t n, blocks; /* an even number of blocks */
    uint32_t warmup_blocks;
    bool steady;
};

/* One block of windows of one kind. */
struct block {
    bool spoiled;           /* an SMI, NMI or machine check, or a pause in which the wide vector
                             * unit powered down: none of its windows counts */
    bool shared;            /* a neighbour used the core (sampler_judge) */
    float before, after;    /* the witness's readings around it (bench/engine/witness.h) */
    double cycles_per_tick; /* by the counter read around it; UNKNOWN: no counter, or it failed */
    double ticks;           /* mean of its undisturbed windows (sampler_judge); UNKNOWN: none */
};

struct sampler {
    struct span span;
    bool used[KINDS];
    enum window_kind order[KINDS]; /* the kinds that are used, ... */
    unsigned kinds;                /* ... and their number */
    uint64_t *samples[KINDS];      /* in the order taken; SAMPLE_FAILED if the operation failed */
    struct block *block[KINDS];    /* in the order taken */
    uint64_t *sorted, *scratch;    /* room for all samples of one kind */
    bool cold;                     /* flush the row's data before each window */
    bool can_fail;                 /* its body returns whether an operation failed */
    uint32_t errors_subtracted;    /* calls of the empty body that returned an error */
    uint32_t errors_outside;       /* operations that failed in warm-up and in twice the body */
    uint64_t windows[KINDS];       /* run in this part, warm-up included */
    struct wide wide;              /* whether the body uses wide vectors, and when it last did */
    uint32_t changed;              /* state that this part's windows changed: window_result */
    uint64_t budget;               /* shared blocks that may still be repeated, ... */
    uint64_t until;                /* ... the TSC until which, ... */
    uint64_t anyway, most;         /* ... for how many ticks, whatever it is worth; and at most */
    uint64_t repeated;             /* ticks so far */
    struct gathered *gathered;     /* the row's; repeated blocks stay in its histogram */
};

#define SAMPLE_FAILED UINT64_MAX

/* Returns the words of memory for a part, given its windows and blocks of each kind. */
size_t sampler_need(size_t windows, size_t blocks);

/* Uses the first words of the engine's memory, for parts of this size of the row `g`. */
void sampler_init(struct sampler *s, const struct engine *e, size_t windows, size_t blocks,
                  struct gathered *g);

/* A part of a row at a placement. */
struct sampling {
    struct engine *e;
    const struct bench *b;
    const struct placed *p;
    struct part_place part;
    bool done; /* false: the run is stopped (poll.h) */
};

/*
 * ctx: a struct sampling. Warms up, then takes all samples of the part, with the sampler of the
 * engine, e->sampler, and sets `done`. Shared blocks between two readings of the witness go into
 * the row's histogram and are repeated, within retry_budget=, 0.1 s per part, and a limit for all
 * rows together (docs/witness.md "The witness"). They are not repeated if cores measure together,
 * because the effect of neighbours is then to be measured.
 */
void sampler_take(void *ctx);

/* After sampler_take(): computes the block means and adds the windows to the row's results. */
void sampler_judge(struct sampler *s, struct engine *e);

#endif
