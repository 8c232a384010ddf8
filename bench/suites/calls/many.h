/*
 * The part of suite `calls` whose target changes: the contents of the object's room, and the
 * bodies. A table of bytes has the order of the targets. So the loops with and without a call do
 * the same index arithmetic, and targets in turn and in random order run the same code.
 */
#ifndef BENCH_SUITES_CALLS_MANY_H
#define BENCH_SUITES_CALLS_MANY_H

#include "bench/api/bench.h"

/*
 * More calls than the entries of any predictor (Golden Cove's branch target buffer has 12288: Intel
 * Architecture Day 2021), so that no predictor learns a random order that repeats.
 */
#define CALLS_ORDER 32768
/* Most calls of one window. The tail repeats the beginning, so that no window wraps. */
#define CALLS_TAIL 2048

#define CALLS_TARGETS 16 /* targets in many.asm, ... */
#define CALLS_CASES   8  /* ... and cases of its switch */

struct calls_order {
    uint8_t target[CALLS_ORDER + CALLS_TAIL];
    uint32_t at, at_empty; /* start of the next window: of the body, of the empty loop */
};

#pragma GCC visibility push(hidden)

/*
 * many.asm: loops that call one of CALLS_TARGETS; target i adds i + 1 to the counter. The targets
 * of _alike do nothing else; the others contain different jumps, by which a predictor can
 * distinguish them. All loops refuse more than CALLS_TAIL calls: they return 1 and do nothing.
 */
int calls_many(uint64_t n, struct object *o);
int calls_many_alike(uint64_t n, struct object *o);
int calls_many_empty(uint64_t n, struct object *o);
/* Jumps through a table to one of CALLS_CASES cases; case i adds i + 1 to the counter. */
int calls_switch_jump(uint64_t n, struct object *o);
int calls_switch_jump_empty(uint64_t n, struct object *o);

/* switch.c: the same switch in C */
int calls_switch(uint64_t n, struct object *o);
int calls_switch_empty(uint64_t n, struct object *o);

#pragma GCC visibility pop

#endif
