/*
 * Generates a test's machine code: copies of the form with the steps between them. The setup of
 * registers is in put.h.
 */
#ifndef LIB_INSN_PROGRAM_H
#define LIB_INSN_PROGRAM_H

#include "lib/insn/put.h"

#define INSN_COPIES_MOST 2048
#define INSN_LOOP_COPIES 160

/* Writes the copies, at most INSN_COPIES_MOST. Before them it sets RAX to RBX, which reading a
 * clock changes, and RBP; after them it restores the x87, the vectors and RSP. */
void insn_body(struct insn_code *to, const struct insn_place *place, const struct insn_test *t,
               unsigned copies);

/*
 * The same as a loop of INSN_LOOP_COPIES copies, which fits micro-op caches: a straight line of
 * copies is limited by the decoders. Its iterations, at least 1, are in the area when it begins, at
 * INSN_ITERATIONS_AT, and are counted down there. This changes flags but no register.
 */
void insn_loop(struct insn_code *to, const struct insn_place *place, const struct insn_test *t);

/* Returns after how many copies their code repeats, at most INSN_LOOP_COPIES. */
unsigned insn_repeats_after(const struct insn_test *t);

/* Writes what resets registers and flags before copy k of a test. */
void insn_put_resets(struct insn_code *to, const struct insn_place *place,
                     const struct insn_test *t, unsigned k);

/* Writes copy k, without it. */
void insn_put_copy(struct insn_code *to, const struct insn_place *place, const struct insn_test *t,
                   unsigned k);

/* Counts the iterations of a loop down and jumps back to the offset `head` until the count is 0. */
void insn_put_iteration(struct insn_code *to, const struct insn_place *place, size_t head);

/* Returns whether copies may be in a loop that sets moved pointers again in each iteration: forms
 * that repeat or jump may not. */
bool insn_can_turn(const struct insn_view *v);

/* Returns whether throughput is measured in a loop. The loop sets no register again and writes
 * flags. So it cannot have forms that move pointers, nor forms that read flags, because on some
 * CPUs their time depends on the instruction that wrote the flags. */
bool insn_can_loop(const struct insn_view *v);

/* Returns whether insn_throughput() with `breaks` differs from that without. */
bool insn_has_breaks(const struct insn_view *v);

/* Returns whether a test writes to the area. */
bool insn_writes_memory(const struct insn_test *t);

#endif
