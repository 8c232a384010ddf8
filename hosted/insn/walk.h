/*
 * Walks the space of encodings of 64-bit mode: prefixes, maps, opcodes and ModRM bytes, with one or
 * two registers for each field. 3DNow! and the address-size prefix are left out.
 */
#ifndef HOSTED_INSN_WALK_H
#define HOSTED_INSN_WALK_H

#include <stdint.h>

#define WALK_BYTES 16

/* Calls `look` for each encoding with WALK_BYTES bytes that may begin with an instruction. */
void walk(void (*look)(void *ctx, const uint8_t *bytes), void *ctx);

#endif
