/*
 * Several cores begin something at one moment. Each announces itself on a cache line of its own;
 * the first (place 0) reads those, and gives each, on another line of its own, the TSC's value at
 * which all begin. No two cores spin on one line, and while a core waits it reads what only its
 * own cache holds. Lines are counted as 128 bytes: adjacent-line prefetchers fetch pairs.
 *
 * Every wait is bounded: a core that faulted must not hang the others.
 */
#ifndef BENCH_CONTEXT_BARRIER_H
#define BENCH_CONTEXT_BARRIER_H

#include <stdatomic.h>
#include <stdint.h>

#define BARRIER_LINE 128

struct barrier_line {
    _Alignas(BARRIER_LINE) _Atomic uint64_t arrived; /* written by its core, read by the first */
    uint64_t round;                                  /* its core's own count */
    _Alignas(BARRIER_LINE) _Atomic uint64_t start;   /* written by the first, read by its core */
    _Atomic uint64_t go;                             /* the round that `start` is of */
    _Atomic uint32_t closed;                         /* 1 + the place that did not come */
    int64_t offset; /* ticks that its core's TSC is ahead of the boot core's */
};

struct barrier {
    unsigned n;
    struct barrier_line *line; /* n of them */
};

/* A new barrier of n places that none has reached; offsets are 0. */
void barrier_init(struct barrier *b, struct barrier_line *line, unsigned n);
/* Before any core passes. */
void barrier_offset(struct barrier *b, unsigned place, int64_t offset);

#define BARRIER_GO (-1)
/*
 * Waits for all places that have not left, then for the common moment. BARRIER_GO, or the place
 * that did not come within `patience` ticks of the first core's arrival; then the barrier stays
 * closed.
 */
int barrier_pass(struct barrier *b, unsigned place, uint64_t patience);

/* This place comes no more and is not waited for. Once the first has left, no core passes. */
void barrier_leave(struct barrier *b, unsigned place);

#endif
