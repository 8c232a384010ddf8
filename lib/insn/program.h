/*
 * Generates a test's machine code: copies of the form with the steps between them. Between copies
 * can be fillers, which take the issue slots that the copies leave, or blockers, which keep one
 * kind of unit of a core busy. The setup of registers is in put.h.
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

/* Writes copy k, without what resets its registers. */
void insn_put_copy(struct insn_code *to, const struct insn_place *place, const struct insn_test *t,
                   unsigned k);

/* Returns whether a test writes to the area. */
bool insn_writes_memory(const struct insn_test *t);

/* Copies of a loop, and fillers after each. */
struct insn_filling {
    uint8_t copies, fillers;
};

/*
 * The fillings, and up to how many cycles a copy may take in each: fillers hide a copy as long as
 * they take longer than it, on a core that issues eight per cycle, the most so far. More fillers
 * than necessary make the error of the figure larger.
 */
#define INSN_FILLING(F)    F(16, 24, 2.5) F(8, 72, 7.5) F(4, 240, 25)
#define INSN_FILLED_COPIES 16 /* of the first one, ... */
#define INSN_FILLERS       24 /* ... which measures fillers by themselves, too */

/*
 * Writes a loop (insn_loop) of copies of an INSN_TEST_SLOTS test, each with what resets its
 * registers before it, and followed by fillers of five bytes; without `copies`, a filler is in
 * place of each copy. If neither waits for anything else, the difference in time is that of the
 * issue slots of a copy and of a filler.
 */
void insn_filled(struct insn_code *to, const struct insn_place *place, const struct insn_test *t,
                 struct insn_filling filling, bool copies);

/* The numbers of copies and blockers of a loop. They are spread evenly. */
struct insn_ratio {
    uint8_t copies, blockers;
};
#define INSN_MIX_MOST 160 /* of both together */

/* Writes a loop (insn_loop) of copies of an INSN_TEST_MIXED test, each with what resets its
 * registers before it, and of blockers. With `fill`, a filler of as many bytes is in place of each
 * blocker. */
void insn_mixed(struct insn_code *to, const struct insn_place *place, const struct insn_test *t,
                enum insn_blocker b, struct insn_ratio ratio, bool fill);

#endif
