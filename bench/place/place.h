/*
 * A row's windows in the code buffer: one set for each placement, and one ruler for all. Those of a
 * round are built at once, so that the buffer changes its rights once.
 */
#ifndef BENCH_PLACE_PLACE_H
#define BENCH_PLACE_PLACE_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/api/bench.h"
#include "bench/place/compiled.h"
#include "bench/context/context.h"
#include "bench/place/layout.h"
#include "bench/window/window.h"

/* The kinds of window (docs/method.md): the body and twice the body, what is subtracted from
 * either, the ruler and twice the ruler. */
enum kind { KIND_EMPTY, KIND_EMPTY2, KIND_RULER, KIND_RULER2, KIND_BODY, KIND_BODY2, KINDS };

#define RULER_ADDS 1024 /* L of docs/method.md: adds that one ruler adds to a window */

/* One kind in one placement: what to call, and with what. */
struct placed_kind {
    window_fn fn; /* NULL: this row has no windows of the kind */
    const void *function;
    uint64_t turns;
    struct window_part part;
};

/* Whether a window of the kind called what is subtracted, and this returned an error. */
static inline bool place_failed_empty(const struct placed_kind *w, enum kind k,
                                      const struct window_result *r)
{
    return k <= KIND_EMPTY2 && w->function && r->failed != 0;
}

#define PLACE_COOL 5

struct placed {
    struct placement at;
    struct object *object;
    uint8_t *room;
    uint32_t arg; /* what the object has as `arg` */
    const void *callee;
    struct compiled *compiled;     /* what places the row's C functions; NULL: it has none */
    size_t compiled_from, code_to; /* bytes of the code buffer: from there, and all up to here */
    void (*setup)(struct object *o);
    const char *(*check)(const struct object *o, uint64_t operations);
    struct placed_kind kind[KINDS];
    /* What place_cool() takes out of the caches. */
    struct placed_range {
        const void *from;
        size_t bytes;
    } cool[PLACE_COOL];
};

/* Fills placed[from .. from + n). False: place_why() tells. */
bool place_row(struct engine *e, const struct bench *b, enum recipe recipe, struct placed *placed,
               unsigned from, unsigned n);
/* Why place_row() could not, for people. */
const char *place_why(const struct engine *e);

/*
 * Takes what the row touches out of every cache, and nothing of the ruler's: the object with its
 * slot and table, what is used of its room, writable data of compiled code; with caches=clear also
 * its windows, and all that these call and read.
 */
void place_cool(const struct placed *p);

/* The object, and writable data of compiled code, as the row's bodies expect them: before the first
 * window of a placement. Returns the registers that the row's setup changed, and which are put
 * back: 1 << each enum window_kept. */
uint32_t place_object(const struct placed *p);

/* The symbol of compiled code that an address lies in, and how far behind its start; NULL: none of
 * the row that is placed now. Cores that measure at the same time have the same row. */
const char *place_name_at(uint64_t at, uint64_t *behind);

#endif
