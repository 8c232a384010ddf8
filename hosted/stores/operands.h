/*
 * What an instruction is about to do with memory: decoded by Zydis, its addresses reckoned from the
 * registers as they are before it runs. Operands that do not stand in its text are among them:
 * stacks, strings, masks, gathered and scattered elements.
 *
 * What it is about to do, not what it could do: a lane that a mask leaves out is not touched, nor
 * is anything by a string instruction whose count is 0. An instruction that may leave its operand
 * as it was (CMPXCHG, a shift by CL) stores to it in any case, as processors do (SDM volume 2,
 * CMPXCHG: "the destination receives a write cycle without regard to the result"). Prefetches,
 * flushes, LEA and long NOPs touch nothing.
 */
#ifndef HOSTED_STORES_OPERANDS_H
#define HOSTED_STORES_OPERANDS_H

#include <Zydis/Zydis.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "hosted/stores/touch.h"

#define OPERANDS_LENGTH  15 /* bytes of an instruction, at the most: SDM volume 2, 2.3.11 */
#define OPERANDS_TOUCHES 20 /* of one instruction, at the most: 16 elements are scattered */
#define OPERANDS_TEXT    96

enum general { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI }; /* as instructions number them */

/* As they stand before an instruction. */
struct registers {
    uint64_t general[16];
    uint64_t fs, gs; /* where these segments begin */
    /* Filled where the instruction has `needs_vectors`. */
    uint8_t vector[32][64];
    uint64_t mask[8]; /* k0 ... k7 */
};

/* An instruction, wherever it is run from now on. */
struct decoded {
    uint64_t address;
    ZydisDecodedInstruction instruction;
    ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];
    const char *refused; /* why it is not stepped over; NULL: it is */
    bool needs_vectors;
    bool needs_segments; /* fs and gs */
    bool pushes_flags;   /* among them the trap flag, which is not the program's */
    bool calls, returns; /* near */
};

/* False: these bytes, of which there are `n`, are no instruction. */
bool operands_decode(struct decoded *d, uint64_t address, const uint8_t *bytes, size_t n);

/* Fills t[OPERANDS_TOUCHES]; how many. */
unsigned operands_touches(const struct decoded *d, const struct registers *r, struct touch *t);

/* The instruction in Intel syntax. */
void operands_text(const struct decoded *d, char text[OPERANDS_TEXT]);

#endif
