/*
 * Places a row's windows in the code buffer: one set for each placement, and one ruler for all. The
 * windows of a round are built together, so that the buffer's access rights change once.
 */
#ifndef BENCH_ENGINE_PLACE_H
#define BENCH_ENGINE_PLACE_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/api/bench.h"
#include "bench/engine/compiled.h"
#include "bench/engine/context.h"
#include "bench/engine/layout.h"
#include "bench/engine/window.h"

/* The kinds of window (docs/window.md): the empty body of either body, the ruler and twice the
 * ruler, the body and twice the body. */
enum window_kind { KIND_EMPTY, KIND_EMPTY2, KIND_RULER, KIND_RULER2, KIND_BODY, KIND_BODY2, KINDS };

#define RULER_ADDS 1024 /* L of docs/window.md: adds that one ruler adds to a window */

/* One kind in one placement: the window and its arguments. */
struct placed_kind {
    window_fn fn; /* NULL: this row has no windows of the kind */
    const void *function;
    uint64_t iterations;
    struct window_part part;
};

/* Returns whether a window of the kind called the empty body and this returned an error. */
static inline bool place_failed_empty(const struct placed_kind *w, enum window_kind k,
                                      const struct window_result *r)
{
    return k <= KIND_EMPTY2 && w->function && r->failed != 0;
}

#define PLACE_COOL 5

struct placed {
    struct placement at;
    struct object *object;
    uint8_t *room;
    uint32_t arg; /* for the object's `arg` */
    const void *callee;
    struct compiled *compiled;     /* places the row's C functions; NULL: it has no C functions */
    size_t compiled_from, code_to; /* start of these, and end of all code, in the code buffer */
    void (*setup)(struct object *o);
    const char *(*check)(const struct object *o, uint64_t operations);
    struct placed_kind kind[KINDS];
    /* The memory that place_cool() flushes. */
    struct placed_range {
        const void *from;
        size_t bytes;
    } cool[PLACE_COOL];
};

/* Fills placed[from .. from + n). False: place_why() has the reason. */
bool place_row(struct engine *e, const struct bench *b, enum recipe recipe, struct placed *placed,
               unsigned from, unsigned n);
/* Returns why place_row() failed, as a message. */
const char *place_why(const struct engine *e);

/*
 * Flushes the memory of the row from every cache, and none of the ruler's: the object with its slot
 * and table, the used bytes of its room, writable data of compiled code. With caches=clear also its
 * windows, and all that these call and read.
 */
void place_cool(const struct placed *p);

/* Initialises the object and the writable data of compiled code, and calls the row's setup. Called
 * before the first window of a placement. Returns the registers that setup changed and that were
 * restored: 1 << each enum window_kept. */
uint32_t place_object(const struct placed *p);

/* Returns the symbol of compiled code that contains an address; *offset is the offset in it. NULL:
 * no symbol of the current row. Cores that measure at the same time have the same row. */
const char *place_name_at(uint64_t at, uint64_t *offset);

#endif
