/*
 * A row's windows in the code buffer: one set for each placement, and one ruler for all. Those of a
 * round are built at once, so that the buffer changes its rights once.
 */
#ifndef BENCH_MEASURE_PLACE_H
#define BENCH_MEASURE_PLACE_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/api/bench.h"
#include "bench/measure/context.h"
#include "bench/measure/layout.h"
#include "bench/window/window.h"

/* The kinds of window (docs/method.md): the body and twice the body, what is subtracted from
 * either, the ruler and twice the ruler. */
enum kind { KIND_EMPTY, KIND_EMPTY2, KIND_RULER, KIND_RULER2, KIND_BODY, KIND_BODY2, KINDS };

#define RULER_ADDS 512 /* L of docs/method.md: adds that one ruler adds to a window */

/* One kind in one placement: what to call, and with what. */
struct placed_kind {
    window_fn fn; /* NULL: this row has no windows of the kind */
    const void *function;
    uint64_t turns;
};

struct placed {
    struct placement at;
    struct object *object;
    const void *callee;
    uint32_t room; /* bytes of the object's room in use */
    struct placed_kind kind[KINDS];
};

/* Fills placed[from .. from + n). False: the code buffer is too small for this row. */
bool place_row(struct engine *e, const struct bench *b, enum recipe recipe, struct placed *placed,
               unsigned from, unsigned n);

/* Whether the row's data is to leave the caches before each window: so declared, or caches=clear.
 * Then there is no twice the body, whose second half would find the data warm. */
bool place_is_cold(const struct engine *e, const struct bench *b);
/* Takes the row's data out of every cache: the object and what the row uses of its room. */
void place_cool(const struct placed *p);

/* The object as the row's bodies expect it, before the first window of a placement. */
void place_object(const struct bench *b, const struct placed *p);

#endif
