/* Splits machine code into instructions, as far as needed to find the next one, and detects 256- or
 * 512-bit vectors, which make a core change its licence. */
#ifndef LIB_CPU_CODE_LENGTH_H
#define LIB_CPU_CODE_LENGTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum code_map { CODE_ONE_BYTE, CODE_0F, CODE_0F38, CODE_0F3A };

/* A 64-bit instruction. A byte that is not there reads as 0. */
struct code_instruction {
    size_t length; /* at least 1; above the number of bytes that could be read if it is truncated */
    bool operands_16, operand_64, addresses_32, repeats; /* its prefixes */
    bool vex;                                            /* VEX or EVEX */
    enum code_map map;
    uint8_t opcode, after; /* the last byte of the opcode, and the next one: often ModRM */
};

/* Reads the instruction at `at`, of which n bytes can be read. Correct for everything that
 * compilers emit (Intel SDM vol. 2D appendix A, tables ); a guess for an invalid
 * opcode. */
struct code_instruction code_instruction(const uint8_t *at, size_t n);

/*
 * Returns whether one of the instructions from `code` on is VEX with L set, or EVEX with a length
 * above 128 bits or with rounding (SDM vol. 2A sections 2.3.6 and 2.7). Decodes them in sequence:
 * data between them can hide the following ones, or look like one.
 */
bool wide_code(const uint8_t *code, size_t n);

#endif
