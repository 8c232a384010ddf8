/*
 * Builds windows: machine code in the code buffer. One window is
 *   tag, entry, (before), recipe start, body, recipe stop, (after), exit
 * with only the recipe's instructions and the body between the two readings.
 */
#ifndef BENCH_ENGINE_WINDOW_H
#define BENCH_ENGINE_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bench/api/bench.h"
#include "bench/api/platform.h"
#include "bench/api/step.h"
#include "bench/result/kept.h"
#include "lib/config/choices.h"

struct window_result {
    uint64_t ticks;   /* second reading minus first */
    uint32_t failed;  /* the return value of a C body; undefined for other bodies */
    uint32_t changed; /* 1 << each enum window_kept that differs from before the body */
};

/*
 * The frame of the running window, in the core's data buffer: the first reading, and what the exit
 * needs. No row uses, flushes or prefetches its cache lines.
 */
struct window_frame {
    uint32_t failed;        /* the return value of a C body */
    uint64_t start;         /* the first reading */
    uint64_t rsp, body_rsp; /* RSP of the words that the entry pushed; RSP at the body's start */
    uint64_t flags;         /* RFLAGS before the body, ... */
    uint32_t mxcsr;         /* ... MXCSR ... */
    uint32_t control;       /* ... and the x87's control word */
    uint8_t x87[28];        /* after the body: FNSTENV */
    const void *next;       /* where window_step() continues */
    uint64_t kept[7];       /* saved around window_call()'s function, and around `before` */
    uint32_t before;        /* 1 << WINDOW_RSP to WINDOW_DF: registers that `before` changed in any
                               window since this was cleared; they have been restored */
    uint64_t before_flags;  /* RFLAGS after `before`, for the body */
};
#define WINDOW_FRAME_SIZE 1024
#define WINDOW_FRAME_AT   (PLATFORM_DATA_SIZE - WINDOW_FRAME_SIZE / 2)
#define WINDOW_DATA_END   (PLATFORM_DATA_SIZE - WINDOW_FRAME_SIZE) /* the end of rows' data */
/*
 * A window. function: what the body calls through r13. iterations: of its loop. delay: before the
 * first reading, in core cycles, approximate. stack: bytes by which the stack is moved down, 8 more
 * than a multiple of 16.
 */
typedef struct window_result (*window_fn)(struct object *o, const void *function,
                                          uint64_t iterations, uint64_t delay, uint64_t stack);
#define WINDOW_STACK 8 /* does not move the stack */

/*
 * Calls function(first, second), a row's setup or check, outside a window. Restores rsp, rbx, rbp,
 * r12 to r15 and RFLAGS.DF after it. The frame at PLATFORM_DATA_VA must be mapped.
 */
struct window_called {
    uint64_t returned;
    uint64_t changed; /* 1 << WINDOW_RSP to WINDOW_DF: the registers that were restored */
};
struct window_called window_call(const void *function, const void *first, uint64_t second);

/* The part of a window that is single-stepped: everything between entry and exit. */
struct window_part {
    const void *from; /* the first instruction after the entry */
    const void *to;   /* the first instruction of the exit */
};
/*
 * Runs a window as window_fn does, with this function in place of its entry, and with the trap flag
 * set from `from` of its part on. The arguments are those of window_fn and the address of the
 * window's frame. For `step` of bench/api/platform.h.
 */
step_entry window_step;

struct window_spec {
    enum recipe recipe;
    bool xfence_is_lfence;            /* Intel */
    const char *name;                 /* "suite/row/kind"; its CRC-32 is the window's tag */
    const struct unit *before;        /* runs before the first reading, or NULL */
    const struct unit *after;         /* runs after the second, or NULL; preserves rax and rdx */
    uint32_t arg;                     /* the target of FIXUP_ARG */
    const struct unit *unit;          /* NULL: the body is empty */
    uint32_t offset;                  /* of the body's first byte in its line of 64 bytes */
    uint32_t copies;                  /* of the unit, one after the other */
    bool loop;                        /* around the copies; the call has the iterations */
    const void *callee, *stub, *slot; /* the targets of fixups */
};

/* Allocates the code buffer from its start. Between begin and end the buffer is writable, not
 * executable. */
struct code {
    const struct platform *p;
    size_t used;
    struct window_part part; /* of the last window that was built */
};
void code_begin(struct code *c, const struct platform *p);
void code_end(struct code *c);

/* Copies a unit to the next address that is `offset` bytes after a multiple of `align`, and applies
 * its fixup with the spec's addresses. NULL: the buffer is full. */
const void *code_unit(struct code *c, const struct unit *u, size_t align, size_t offset,
                      const struct window_spec *spec);

/* Returns the next `bytes` bytes, filled with INT3, to be written. NULL: the buffer is full. */
uint8_t *code_room(struct code *c, size_t bytes);

/* Skips `bytes` bytes, or the rest of the buffer. */
void code_skip(struct code *c, size_t bytes);

/* Builds a window whose body (loop head or first copy) begins on a line of 64 bytes. NULL: the
 * buffer is full. */
window_fn code_window(struct code *c, const struct window_spec *spec);

/* Returns the offset of the body in its window: loop head or first copy. */
size_t window_body(const struct window_spec *spec);

/*
 * Returns whether the code at this offset in the buffer belongs to the window of that name, by its
 * tag. *offset is the offset in the window.
 */
bool window_holds(const uint8_t *code, size_t at, const char *name, size_t *offset);

#endif
