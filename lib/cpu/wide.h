/* Whether machine code uses 256- or 512-bit vectors: what makes a core change its licence. */
#ifndef LIB_CPU_WIDE_H
#define LIB_CPU_WIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The bytes of the 64-bit instruction at `at`, which may read n bytes; at least 1. Right for all
 * that compilers make (Intel SDM vol. 2D appendix A, tables ); of an invalid opcode it is
 * a guess, as it is where the instruction is cut off.
 */
size_t wide_length(const uint8_t *at, size_t n);

/*
 * Whether one of the instructions from `code` on is VEX with L set, or EVEX with a length above 128
 * bits or with rounding (SDM vol. 2A sections 2.3.6 and 2.7). They are gone through one after the
 * other: data between them can hide those right behind it, or look like one.
 */
bool wide_code(const uint8_t *code, size_t n);

#endif
