/*
 * The methods of the literature, each as its author describes it (docs/literature.md).
 * There is one placement, aligned. The windows of the body, the empty body and the ruler are taken
 * forward and back. Each kind goes through the method separately, and the row's figure is the
 * difference. No sample is kept.
 *
 * The error of a figure is what the method itself observes:
 * - plain: 99%, from the differences of blocks that were taken at nearly the same time;
 * - kbest: the spread of the K smallest, of the body and of the empty body, plus a step;
 * - ensembles: the ranges of the minima, plus a step;
 * - each of these three: plus the core cycles that the recipe hides of a body;
 * - adaptive: 99%, from the differences of the last intervals, plus the clock's resolution.
 */
#ifndef BENCH_ENGINE_METHOD_H
#define BENCH_ENGINE_METHOD_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/engine/context.h"
#include "bench/engine/place.h"
#include "bench/engine/wide.h"

/* Returns why this method cannot measure this row, whose data is cold or not; NULL: it can. */
const char *method_lacks(const struct bench *b, enum method method, bool cold);

/*
 * Measures the row's only placement with the method that method= selects. Fills row->method, and
 * the fields that all methods share: row->figure, errors, disturbed, windows, status and why.
 */
void method_row(struct engine *e, const struct placed *p, struct row *row);

/*
 * Feeds windows to a method as they are taken; none is kept. They are taken in blocks of one kind,
 * the kinds forward and back (docs/window.md "Order and warm-up"), so that a drift affects body and
 * empty window equally. Each kind goes through the method separately.
 */

/* A row while one of these methods measures it. */
struct taking {
    struct engine *e;
    const struct placed *p;
    struct row *row;
    uint64_t operations; /* that its body has done */
    uint32_t changed;    /* state that its windows changed: window_result */
    uint64_t before;     /* compensate_before() of the last window */
    struct wide wide;    /* whether the body uses wide vectors, and when it last did */
};

/* Takes one window and counts it and its operations. False: its operation failed. */
bool stream_window(struct taking *t, enum window_kind k, uint64_t iterations,
                   struct window_result *w);

/* Runs windows of the body until wide vectors run at full rate, if it uses them and they do not. */
void stream_warm_wide(struct taking *t);

/* One kind of window, and the state of its method. */
struct stream {
    enum window_kind kind;
    struct method_side *side;
    struct ensemble ensemble;
    uint64_t left;   /* most windows that are still needed; 0: it has enough */
    double above;    /* windows longer than this are disturbed, once it is known */
    uint32_t longer; /* number of these in the last block */
    /* Without warm-up windows: the first samples, from which `above` is found. */
    uint64_t early[ENGINE_BLOCK];
    unsigned n_early;
    bool judges_early;
    double mean;       /* of its last block; UNKNOWN: no window in it */
    uint64_t shortest; /* for compensate_window() */
    uint64_t as_read;  /* the last window before compensation */
};

/* Warms a kind up. With method=plain as its author does, unless warmup= gives the blocks. */
void stream_open(struct taking *t, struct stream *s, enum window_kind k, struct method_side *side,
                 uint64_t left);
/*
 * Takes one block of at most n windows. Feeds all windows that did not fail to the method:
 * disturbed windows of the body are counted, but not excluded. A ruler goes through no method.
 * K-best ends the block once its samples agree, after at least K of them.
 */
void stream_block(struct taking *t, struct stream *s, uint64_t n);

/* Takes all windows that method= needs, of every kind that the row has. */
void stream_take(struct taking *t);

/*
 * method=adaptive (method_adaptive.c): takes longer and longer windows of the body until one lasts
 * for target=. Then takes windows with this number of operations, of the body and of the empty
 * loop, forward and back, between blocks of the ruler. Fills the adaptive part of row->method. The
 * row fails if its clock cannot be read.
 */
void adaptive_take(struct taking *t);

#endif
