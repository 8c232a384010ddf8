/*
 * Lets several cores begin at the same time. Each core announces its arrival on a separate cache
 * line. The first (place 0) reads these lines, and writes to another separate line per core the TSC
 * value at which all begin. No two cores spin on one line, and a waiting core reads only its own
 * cache. Lines have 128 bytes here: adjacent-line prefetchers fetch pairs.
 *
 * Every wait is bounded: a core that faulted must not hang the others.
 */
#ifndef BENCH_ENGINE_BARRIER_H
#define BENCH_ENGINE_BARRIER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "bench/engine/context.h"

#define BARRIER_LINE 128

struct barrier_line {
    _Alignas(BARRIER_LINE) _Atomic uint64_t arrived; /* written by its core, read by the first */
    uint64_t round;                                  /* rounds that its core has counted */
    _Alignas(BARRIER_LINE) _Atomic uint64_t start;   /* written by the first, read by its core */
    _Atomic uint64_t go;                             /* the round of `start` */
    _Atomic uint32_t closed;                         /* 1 + the place that did not arrive */
    int64_t offset; /* ticks that its core's TSC is ahead of the boot core's */
};

struct barrier {
    unsigned n;
    struct barrier_line *line; /* n of them */
};

/* Initialises a barrier of n places; offsets are 0. */
void barrier_init(struct barrier *b, struct barrier_line *line, unsigned n);
/* Sets a place's offset. Called before any core passes. */
void barrier_offset(struct barrier *b, unsigned place, int64_t offset);

#define BARRIER_GO (-1)
/*
 * Waits for all places that have not left, then for the common start. Returns BARRIER_GO, or the
 * place that did not arrive within `patience` ticks of the first core's arrival; the barrier then
 * stays closed.
 */
int barrier_pass(struct barrier *b, unsigned place, uint64_t patience);

/* Removes this place: the others do not wait for it. Once the first has left, no core passes. */
void barrier_leave(struct barrier *b, unsigned place);

/* --- gate.c: cores that measure a row together begin each placement at the same time ---------- */

struct gate {
    struct barrier *barrier;
    unsigned place;
    const unsigned *list; /* the cores, by place */
    bool missed;          /* a core did not come in time, so this one's row has failed */
};

/*
 * Passes at once if no other core measures. Otherwise waits for the others, for a time that depends
 * on the duration of this core's previous placement (`ticks`). False: one did not arrive; the row
 * says which.
 */
bool gate_pass(const struct engine *e, uint64_t ticks, struct outcome *out);

/* Returns how long gate_pass() waits, in ticks. */
uint64_t gate_patience(const struct engine *e, uint64_t ticks);

#endif
