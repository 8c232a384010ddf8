/*
 * The places where a dependency enters and leaves a form: a register, the data of memory, an
 * address, the flags. Each pair of an input and an output has a latency.
 */
#ifndef LIB_INSN_ENDS_H
#define LIB_INSN_ENDS_H

#include "lib/insn/form.h"

enum insn_part {
    INSN_DATA,       /* of a register or of memory */
    INSN_BASE_PART,  /* the base of an address ... */
    INSN_INDEX_PART, /* ... and its index; a vector in gathers and scatters */
    INSN_FLAGS_PART, /* of RFLAGS; `operand` is not used */
};

struct insn_end {
    uint8_t part, operand;
};
#define INSN_ENDS_MOST (2 * INSN_OPERANDS_MOST + 1)

/* The form with its operands, for both functions below and for chains. */
struct insn_view {
    const struct insn_form *form;
    uint8_t decoration;
    struct insn_operand operand[INSN_OPERANDS_MOST];
    unsigned operands;
    struct insn_flags flags;
};

void insn_view(struct insn_view *v, const struct insn_form *f, unsigned decoration);

/* Both return the number. RSP is neither input nor output: renaming tracks it separately. */
unsigned insn_inputs(const struct insn_view *v, struct insn_end to[INSN_ENDS_MOST]);
unsigned insn_outputs(const struct insn_view *v, struct insn_end to[INSN_ENDS_MOST]);

/* Returns whether the fixed base of memory is also an operand, such as RDI of MOVS. */
bool insn_lists_base(const struct insn_view *v, const struct insn_operand *memory);

#endif
