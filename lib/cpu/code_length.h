/* Detects machine code with 256- or 512-bit vectors, which make a core change its licence. */
#ifndef LIB_CPU_CODE_LENGTH_H
#define LIB_CPU_CODE_LENGTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Returns the number of bytes, at least 1, of the 64-bit instruction at `at`; may read n bytes.
 * Correct for everything that compilers emit (Intel SDM vol. 2D appendix A, tables ); a
 * guess for an invalid opcode or a truncated instruction.
 */
size_t wide_length(const uint8_t *at, size_t n);
/* Returns whether it is a prefix other than REX, VEX and EVEX. */
bool wide_is_legacy_prefix(uint8_t byte);

/*
 * Returns whether one of the instructions from `code` on is VEX with L set, or EVEX with a length
 * above 128 bits or with rounding (SDM vol. 2A sections 2.3.6 and 2.7). Decodes them in sequence:
 * data between them can hide the following ones, or look like one.
 */
bool wide_code(const uint8_t *code, size_t n);

#endif
