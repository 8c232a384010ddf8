/*
 * Windows: machine code put together in the code buffer. One window is
 *   tag, entry, recipe start, body, recipe stop, way out
 * with nothing between the two readings but what the recipe and the body are made of.
 */
#ifndef BENCH_WINDOW_WINDOW_H
#define BENCH_WINDOW_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bench/api/bench.h"
#include "bench/api/platform.h"
#include "bench/api/step.h"
#include "bench/model/kept.h"
#include "lib/config/recipe.h"

struct window_result {
    uint64_t ticks;   /* second reading minus first */
    uint32_t failed;  /* what a C body returned; rubbish for other bodies */
    uint32_t changed; /* 1 << each enum window_kept that is not what it was before the body */
};

/*
 * The frame of the window that runs, in the data buffer, which each core has of its own: the first
 * reading, and what the way out needs. On lines that no row has, nor flushes, nor fetches ahead.
 */
struct window_frame {
    uint32_t failed;        /* what a C body returned */
    uint64_t start;         /* the first reading */
    uint64_t rsp, body_rsp; /* of the words that the way in pushed; as the body finds it */
    uint64_t flags;         /* RFLAGS before the body, ... */
    uint32_t mxcsr;         /* ... MXCSR ... */
    uint32_t control;       /* ... and the x87's control word */
    uint8_t x87[28];        /* after it: FNSTENV */
    const void *next;       /* where window_step() goes on */
    uint64_t kept[7];       /* around window_call()'s function, and around `before` */
    uint32_t before;        /* 1 << WINDOW_RSP to WINDOW_R15: what `before` changed, of all windows
                               since this was cleared; they have been put back */
    uint64_t before_flags;  /* RFLAGS as `before` left them, for the body */
};
#define WINDOW_FRAME_SIZE 1024
#define WINDOW_FRAME_AT   (PLATFORM_DATA_SIZE - WINDOW_FRAME_SIZE / 2)
#define WINDOW_DATA_END   (PLATFORM_DATA_SIZE - WINDOW_FRAME_SIZE) /* rows' data ends there */
/*
 * Called with the object, what the body calls through r13, the turns of its loop, an approximate
 * delay in core cycles ahead of the first reading, and the bytes that the stack is moved down by (8
 * more than a multiple of 16).
 */
typedef struct window_result (*window_fn)(struct object *o, const void *function, uint64_t turns,
                                          uint64_t delay, uint64_t stack);
#define WINDOW_STACK 8 /* the stack where it is */

/*
 * Calls function(first, second), which is no window: a row's setup or check. rsp, rbx, rbp, r12 to
 * r15 and RFLAGS.DF are put back after it. The frame of PLATFORM_DATA_VA must be there.
 */
struct window_called {
    uint64_t returned;
    uint64_t changed; /* 1 << WINDOW_RSP to WINDOW_DF: what was put back */
};
struct window_called window_call(const void *function, const void *first, uint64_t second);

/* What of a window is single-stepped: all between its way in and its way out. */
struct window_part {
    const void *from; /* the first instruction after the way in */
    const void *to;   /* the first one of the way out */
};
/*
 * Runs a window as window_fn does, whose way in is this function's own, with the trap flag set from
 * `from` of its part on. The arguments are window_fn's and the address of the window's frame. Made
 * for `step` of bench/api/platform.h.
 */
step_entry window_step;

struct window_spec {
    enum recipe recipe;
    bool xfence_is_lfence;            /* Intel */
    const char *name;                 /* "suite/row/kind"; its CRC-32 is the window's tag */
    const struct unit *before;        /* runs ahead of the first reading, or NULL */
    const struct unit *unit;          /* NULL: nothing */
    uint32_t offset;                  /* of the body's first byte in its line of 64 bytes */
    uint32_t copies;                  /* of the unit, one behind the other */
    bool loop;                        /* around the copies, as many turns as the call says */
    const void *callee, *stub, *slot; /* where fixups lead */
};

/* Hands out the code buffer from its start; between begin and end the buffer is writable, not
 * executable. */
struct code {
    const struct platform *p;
    size_t used;
    struct window_part part; /* of the window that was built last */
};
void code_begin(struct code *c, const struct platform *p);
void code_end(struct code *c);

/* Copies a unit to the next address that is `offset` behind a multiple of `align`, fixing it up
 * with the spec's addresses. NULL: the buffer is full. */
const void *code_unit(struct code *c, const struct unit *u, size_t align, size_t offset,
                      const struct window_spec *spec);

/* The next `bytes` bytes, for the caller to write: INT3 until then. NULL: the buffer is full. */
uint8_t *code_room(struct code *c, size_t bytes);

/* Leaves at least `bytes` unused. */
void code_skip(struct code *c, size_t bytes);

/* Builds a window whose body (loop head or first copy) begins on a line of 64 bytes. NULL: the
 * buffer is full. */
window_fn code_window(struct code *c, const struct window_spec *spec);

/* How far behind the window's first byte its body begins: loop head or first copy. */
size_t window_body(const struct window_spec *spec);

/*
 * Whether the code at this offset in the buffer belongs to the window of that name, by its tag;
 * *behind is how far behind the window's entry it is.
 */
bool window_holds(const uint8_t *code, size_t at, const char *name, size_t *behind);

#endif
