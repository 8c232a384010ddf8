/*
 * The bytes of one copy of a form: its template with the register fields filled in. Nothing is
 * chosen here: the same form and registers are always the same bytes.
 */
#ifndef LIB_INSN_COPY_H
#define LIB_INSN_COPY_H

#include "lib/insn/form.h"

#define INSN_BYTES_MOST 15
#define INSN_NO_INDEX   0xff

struct insn_choice {
    uint8_t decoration;
    uint8_t reg[INSN_OPERANDS_MOST]; /* of each operand of insn_operands() that is a register */
    uint8_t base, index;             /* of memory; the index may be a vector. Scale is 1. */
    int32_t displacement;            /* 32 bits, always */
    uint64_t address;                /* of INSN_MOFFS */
    uint64_t immediate;              /* cut off to the form's length; a jump's is always 0 */
};

/* The length; 0: these registers cannot be encoded. */
unsigned insn_copy(const struct insn_form *f, const struct insn_choice *c,
                   uint8_t bytes[INSN_BYTES_MOST]);

#endif
