/*
 * The part of suite `calls` whose target changes: what the object's room holds, and the bodies.
 * Which target comes next stands in a table of bytes, so that the loops with a call and without it
 * do the same index arithmetic, and so that targets in turn and in random order run the same code.
 */
#ifndef BENCH_SUITES_CALLS_MANY_H
#define BENCH_SUITES_CALLS_MANY_H

#include "bench/api/bench.h"

/*
 * More calls than any predictor has entries for (Golden Cove's branch target buffer holds 12288:
 * Intel Architecture Day 2021), so that a random order is not learnt when it comes round again.
 */
#define CALLS_ORDER 32768
/* The most that one window takes; it repeats the beginning, so that no window wraps. */
#define CALLS_TAIL 2048

#define CALLS_TARGETS 16 /* that many.asm has to call, ... */
#define CALLS_CASES   8  /* ... and of its switch */

struct calls_order {
    uint8_t target[CALLS_ORDER + CALLS_TAIL];
    uint32_t at, at_empty; /* where the next window begins: of the body, of the empty loop */
};

#pragma GCC visibility push(hidden)

/*
 * many.asm: loops that call one of CALLS_TARGETS; target i adds i + 1 to the counter. The targets
 * of _alike do nothing else; the others have jumps of their own, by which a predictor can tell
 * them apart. All of them refuse more than CALLS_TAIL calls: they return 1 and do nothing.
 */
int calls_many(uint64_t n, struct object *o);
int calls_many_alike(uint64_t n, struct object *o);
int calls_many_empty(uint64_t n, struct object *o);
/* Jumps through a table to one of CALLS_CASES cases, which add likewise. */
int calls_switch_jump(uint64_t n, struct object *o);
int calls_switch_jump_empty(uint64_t n, struct object *o);

/* switch.c: the same switch in C */
int calls_switch(uint64_t n, struct object *o);
int calls_switch_empty(uint64_t n, struct object *o);

#pragma GCC visibility pop

#endif
