/*
 * Copies of a form next to others: fillers, which take the issue slots that the copies leave, or
 * blockers, which keep one kind of unit of a core busy.
 */
#ifndef LIB_INSN_FILLERS_H
#define LIB_INSN_FILLERS_H

#include "lib/insn/put.h"

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
 * Writes a loop (program.h, insn_loop) of copies of an INSN_TEST_SLOTS test, each with what resets
 * its registers before it, and followed by fillers of five bytes; without `copies`, a filler is in
 * place of each copy. If neither waits for anything else, the difference in time is that of the
 * issue slots of a copy and of a filler.
 */
void insn_filled(struct insn_code *to, const struct insn_place *place, const struct insn_test *t,
                 struct insn_filling filling, bool copies);

/*
 * The blockers. If a form's copies take longer next to one of them than next to fillers, both need
 * the same unit. Each blocker writes a register that it does not read, so one register is enough
 * for independent copies. VEX ones are also used next to legacy SSE, which they do not slow down
 * while upper halves are clean.
 */
#define INSN_BLOCKER(B)                                                                            \
    B(BLOCK_MOVE, LINK_MOVSXD)                                                                     \
    B(BLOCK_ROTATE, LINK_RORX)                                                                     \
    B(BLOCK_MULTIPLY, LINK_IMUL)                                                                   \
    B(BLOCK_LOAD, LINK_LOAD64)                                                                     \
    B(BLOCK_STORE, LINK_STORE64)                                                                   \
    B(BLOCK_ADD_INTEGERS, LINK_VPADDD)                                                             \
    B(BLOCK_SHUFFLE, LINK_VPSHUFD)                                                                 \
    B(BLOCK_ADD_FLOATS, LINK_VADDPS)                                                               \
    B(BLOCK_MULTIPLY_FLOATS, LINK_VMULPS)                                                          \
    B(BLOCK_DIVIDE_FLOATS, LINK_VDIVPS)
#define INSN_BLOCKER_ID(id, link) id,
enum insn_blocker { INSN_BLOCKER(INSN_BLOCKER_ID) BLOCKERS };

enum insn_link insn_blocker_link(enum insn_blocker b);

/* The numbers of copies and blockers of a loop. They are spread evenly. */
struct insn_ratio {
    uint8_t copies, blockers;
};
#define INSN_MIX_MOST 160 /* of both together */

/* Returns whether blockers can be next to the form: it has operands, it is not a NOP, and its
 * copies may be in a loop, do not fence, and do not clear masks, which other instructions would
 * have to set again. */
bool insn_can_mix(const struct insn_view *v);

/* Writes a loop (program.h, insn_loop) of copies of an INSN_TEST_MIXED test, each with what resets
 * its registers before it, and of blockers. With `fill`, a filler of as many bytes is in place of
 * each blocker. */
void insn_mixed(struct insn_code *to, const struct insn_place *place, const struct insn_test *t,
                enum insn_blocker b, struct insn_ratio ratio, bool fill);

#endif
