/*
 * Values of operands that change the time of a form. A form has one row for each of them.
 */
#ifndef LIB_INSN_VALUES_H
#define LIB_INSN_VALUES_H

#include "lib/insn/dependency.h"
#include "lib/text/sink.h"

/* The values, the ending of the form's name, RCX for repetitions, and the immediate. The usual
 * values are 1 in each register and lane, so that results stay the same in a chain, 64 repetitions,
 * and 2 as the immediate. Slow ones have all bits of a quotient or a root. Denormal ones make some
 * CPUs call microcode. */
#define INSN_VALUES(V)                                                                             \
    V(INSN_USUAL, "", 64, 2)                                                                       \
    V(INSN_SLOW, " [slow]", 64, 2)                                                                 \
    V(INSN_DENORMAL, " [denormal]", 64, 2)                                                         \
    V(INSN_IMM_0, " [imm8=0]", 64, 0)                                                              \
    V(INSN_IMM_1, " [imm8=1]", 64, 1)                                                              \
    V(INSN_IMM_31, " [imm8=31]", 64, 31)                                                           \
    V(INSN_IMM_255, " [imm8=255]", 64, 255)                                                        \
    V(INSN_IMM_4096, " [imm32=4096]", 64, 4096)                                                    \
    V(INSN_TIMES_0, " [rcx=0]", 0, 2)                                                              \
    V(INSN_TIMES_1, " [rcx=1]", 1, 2)                                                              \
    V(INSN_TIMES_2, " [rcx=2]", 2, 2)                                                              \
    V(INSN_TIMES_4096, " [rcx=4096]", 4096, 2)
#define INSN_VALUES_ID(id, name, repeats, immediate) id,
enum insn_values { INSN_VALUES(INSN_VALUES_ID) INSN_VALUES_COUNT };

/* Returns the element type of the vectors and the memory that the form reads. */
unsigned insn_element(const struct insn_view *v);

/* Lists the values that the form has a row for, the usual ones first. Returns their number. */
unsigned insn_values(const struct insn_view *v, uint8_t to[INSN_VALUES_COUNT]);

/* Returns whether copies need their fixed registers set again: quotients would grow without it. */
bool insn_values_break(const struct insn_view *v, unsigned values);

/* Returns whether copies may be in a loop: slow quotients in the same register approach 0. */
static inline bool insn_values_can_loop(unsigned values)
{
    return values != INSN_SLOW;
}

/* Returns whether they are repetitions, which nothing in a chain changes. */
static inline bool insn_values_last(unsigned values)
{
    return values >= INSN_TIMES_0;
}

/* Returns whether a chain must keep the values of registers: their time depends on these. */
static inline bool insn_values_kept(unsigned values)
{
    return values == INSN_SLOW || values == INSN_DENORMAL;
}

extern const struct insn_values_facts {
    const char *name;
    uint32_t repeats, immediate;
} insn_values_of[INSN_VALUES_COUNT];

/* Returns the content of 64 bits of a register or of memory; `other`: of every second register. */
uint64_t insn_values_word(unsigned values, unsigned element, bool other);

/* The content of RAX and RDX for slow integer division. */
#define INSN_SLOW_RAX 0x123456789abc1234
#define INSN_SLOW_RDX 0x1234567812341212

#endif
