/*
 * Decodes the memory accesses of the next instruction with Zydis, and computes their addresses from
 * the registers before it runs. Includes operands that its text does not show: stacks, strings,
 * masks, gathered and scattered elements.
 *
 * Only accesses that will happen are listed: none for a masked-out lane, none for a string
 * instruction whose count is 0. An instruction that may leave its operand unchanged (CMPXCHG, a
 * shift by CL) always stores to it, as processors do (SDM volume 2, CMPXCHG: "the destination
 * receives a write cycle without regard to the result"). Prefetches, flushes, LEA and long NOPs
 * touch nothing.
 */
#ifndef HOSTED_STORES_OPERANDS_H
#define HOSTED_STORES_OPERANDS_H

#include <Zydis/Zydis.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "hosted/stores/counts.h"

#define OPERANDS_LENGTH  15 /* maximum bytes of an instruction: SDM volume 2, 2.3.11 */
#define OPERANDS_TOUCHES 20 /* of one instruction, at most: 16 elements are scattered */
#define OPERANDS_TEXT    96

enum general { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI }; /* in the order of their encoding */

/* The registers before an instruction. */
struct registers {
    uint64_t general[16];
    uint64_t fs, gs; /* the bases of these segments */
    /* Set if the instruction has `needs_vectors`. */
    uint8_t vector[32][64];
    uint64_t mask[8]; /* k0 ... k7 */
};

/* A decoded instruction, independent of the registers. */
struct decoded {
    uint64_t address;
    ZydisDecodedInstruction instruction;
    ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];
    const char *refused; /* why it cannot be stepped; NULL: it can */
    bool needs_vectors;
    bool needs_segments; /* needs fs and gs */
    bool pushes_flags;   /* including the trap flag, which is not the program's */
    bool calls, returns; /* near */
};

/* Decodes an instruction. False: these `n` bytes are not an instruction. */
bool operands_decode(struct decoded *d, uint64_t address, const uint8_t *bytes, size_t n);

/* Fills t[OPERANDS_TOUCHES]; returns the number. */
unsigned operands_touches(const struct decoded *d, const struct registers *r, struct touch *t);

/* Writes the instruction in Intel syntax. */
void operands_text(const struct decoded *d, char text[OPERANDS_TEXT]);

#endif
