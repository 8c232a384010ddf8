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

/* The contents of a body. All but the first are loops, which fit micro-op caches: a straight line
 * of copies is limited by the decoders. */
enum insn_body {
    BODY_STRAIGHT, /* copies, at most INSN_COPIES_MOST */
    BODY_LOOP,     /* INSN_LOOP_COPIES copies */
    BODY_FILLED,   /* of an INSN_TEST_SLOTS test: copies, and fillers of five bytes after each */
    BODY_FILLERS,  /* the same with a filler in place of each copy */
    BODY_MIXED,    /* of an INSN_TEST_MIXED test: copies and blockers, spread evenly */
    BODY_UNMIXED   /* the same with a filler of as many bytes in place of each blocker */
};

struct insn_contents {
    enum insn_body body;
    unsigned copies, others;   /* others: fillers after each copy, or all blockers */
    enum insn_blocker blocker; /* of BODY_MIXED and BODY_UNMIXED */
};

#define INSN_MIX_MOST 160 /* copies and blockers of a loop, together */

/*
 * Writes a body. Before it, RAX to RBX, which reading a clock changes, and RBP are set; after it,
 * the x87, the vectors and RSP are restored. The iterations of a loop, at least 1, are in the area
 * when it begins, at INSN_ITERATIONS_AT, and are counted down there, which changes flags but no
 * register. From BODY_FILLED on, each copy has before it what resets its registers.
 *
 * If neither BODY_FILLED nor BODY_FILLERS waits for anything but issue slots, the difference in
 * time is that of the slots of a copy and of a filler.
 */
void insn_body(struct insn_code *to, const struct insn_place *place, const struct insn_test *t,
               const struct insn_contents *c);

/* Writes copy k, without what resets its registers. */
void insn_put_copy(struct insn_code *to, const struct insn_place *place, const struct insn_test *t,
                   unsigned k);

/* Returns whether a test writes to the area. */
bool insn_writes_memory(const struct insn_test *t);

/* The copies of a loop, and the fillers after each, or all blockers. */
struct insn_ratio {
    uint8_t copies, others;
};

/*
 * The fillings, and up to how many cycles a copy may take in each: fillers hide a copy as long as
 * they take longer than it, on a core that issues eight per cycle, the most so far. More fillers
 * than necessary make the error of the figure larger.
 */
#define INSN_FILLING(F)    F(16, 24, 2.5) F(8, 72, 7.5) F(4, 240, 25)
#define INSN_FILLED_COPIES 16 /* of the first one, ... */
#define INSN_FILLERS       24 /* ... which measures fillers by themselves, too */

#endif
