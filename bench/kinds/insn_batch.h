/*
 * The windows of several tests of one form, built together: writing code costs more than running
 * it.
 */
#ifndef BENCH_KINDS_INSN_BATCH_H
#define BENCH_KINDS_INSN_BATCH_H

#include "bench/kinds/insn_pass.h"
#include "bench/engine/window.h"
#include "lib/insn/program.h"

#define INSN_RULER 512 /* dependent additions of the ruler's window; the other has twice as many */

/* The windows of a test: n copies and 2n copies; where instructions are counted, which makes each
 * exact, no copy and n copies. A loop has one window; the number of its
 * iterations is in memory. Tests of issue slots have copies with fillers, and fillers only. Mixes
 * have copies with blockers, and with fillers. */
struct insn_windows {
    struct insn_cell *cell;
    struct insn_test test;
    window_fn once, twice;
    bool writes; /* it writes to memory, whose values must be restored before the next window */
};

struct insn_batch {
    const struct insn_pass *pass;
    const struct insn_row *row;
    struct insn_place place;
    struct insn_windows test[INSN_TESTS_MOST];
    unsigned n;              /* tests ... */
    unsigned built;          /* ... and those from the first on that fit the code buffer */
    window_fn ruler, ruler2; /* NULL where instructions are counted */
};

/* Begins a batch of a row, with its data at the offset of the placement. */
void insn_batch_begin(struct insn_batch *b, const struct insn_pass *pass,
                      const struct insn_row *row);

/* Returns whether the windows of a test of this kind differ in more than the number of copies. */
bool insn_has_two_bodies(unsigned kind);

/* Adds a test of the row. */
void insn_batch_add(struct insn_batch *b, struct insn_cell *cell);

/* Drops the first n tests. */
void insn_batch_drop(struct insn_batch *b, unsigned n);

/* Builds the windows of as many tests as fit, with `copies` and `iterations` of their cells. False:
 * not even the first one fits, or its copies cannot be encoded. */
bool insn_batch_build(struct insn_batch *b);

/* Fills the memory that the tests use. */
void insn_batch_fill(const struct insn_batch *b);

/* Sets the number of iterations of loops in the next window. */
void insn_batch_iterations(const struct insn_batch *b, uint64_t iterations);

#endif
