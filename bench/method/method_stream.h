/*
 * Windows that are fed to a method as they come, none of them kept: in blocks of one kind, the
 * kinds there and back (docs/method.md "Samples"), so that a drift falls on body and empty window
 * alike. Each kind goes through the method by itself.
 */
#ifndef BENCH_METHOD_METHOD_STREAM_H
#define BENCH_METHOD_METHOD_STREAM_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/context/context.h"
#include "bench/place/place.h"
#include "bench/place/wide.h"

/* A row while it is measured by one of these methods. */
struct taking {
    struct engine *e;
    const struct placed *p;
    struct row *row;
    uint64_t operations; /* that its body has done */
    uint32_t changed;    /* by its windows: window_result */
    uint64_t before;     /* compensate_before() the last window */
    struct wide wide;    /* whether the body uses wide vectors, and when it did last */
};

/* One window; it and its operations are counted. False: its operation failed. */
bool stream_window(struct taking *t, enum kind k, uint64_t turns, struct window_result *w);

/* Runs windows of the body until wide vectors run at full rate, if it uses them and they do not. */
void stream_warm_wide(struct taking *t);

/* One kind of window, and how far its method is. */
struct stream {
    enum kind kind;
    struct method_side *side;
    struct ensemble ensemble;
    uint64_t left;   /* windows that it wants at the most; 0: it has enough */
    double above;    /* a longer window is disturbed, once it is known */
    uint32_t longer; /* such windows of the last block */
    /* Without windows of warm-up: the first samples, by which `above` is judged. */
    uint64_t early[ENGINE_BLOCK];
    unsigned n_early;
    bool judges_early;
    double mean;      /* of its last block; UNKNOWN: that had none */
    uint64_t alone;   /* compensate_window()'s */
    uint64_t as_read; /* the last window before that */
};

/* Warms a kind up: by method=plain as its author did, unless warmup= says how many blocks. */
void stream_open(struct taking *t, struct stream *s, enum kind k, struct method_side *side,
                 uint64_t left);
/*
 * One block of n windows or fewer. The methods are fed with everything that did not fail: disturbed
 * windows of the body are counted, and kept. A ruler goes through no method. K-best ends the block
 * once its samples agree, behind K of them.
 */
void stream_block(struct taking *t, struct stream *s, uint64_t n);

/* All windows that method= wants, of every kind that the row has. */
void stream_take(struct taking *t);

#endif
