/*
 * Encodes one copy of a form: its template with the register fields filled in. Deterministic: the
 * same form and registers always give the same bytes.
 */
#ifndef LIB_INSN_COPY_H
#define LIB_INSN_COPY_H

#include "lib/insn/form.h"

#define INSN_BYTES_MOST 15
#define INSN_NO_INDEX   0xff

struct insn_choice {
    uint8_t decoration;
    uint8_t reg[INSN_OPERANDS_MOST]; /* for each operand of insn_operands() that is a register */
    uint8_t base, index;             /* of memory; the index may be a vector. The scale is 1. */
    int32_t displacement;            /* always encoded in 32 bits */
    uint64_t address;                /* for INSN_MOFFS */
    uint64_t immediate;              /* truncated to the form's length; a jump's is always 0 */
};

/* Returns the length; 0: these registers cannot be encoded. */
unsigned insn_copy(const struct insn_form *f, const struct insn_choice *c,
                   uint8_t bytes[INSN_BYTES_MOST]);

#endif
