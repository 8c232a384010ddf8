/* An instruction as Zydis decodes it, with what the table has of its form. */
#ifndef HOSTED_INSN_DESCRIBED_H
#define HOSTED_INSN_DESCRIBED_H

#include <Zydis/Zydis.h>
#include "lib/insn/form.h"

struct described {
    ZydisDecodedInstruction in;
    ZydisDecodedOperand zydis[ZYDIS_MAX_OPERAND_COUNT];
    struct insn_form form; /* but `name`, `operands` and `flags`, which are places in tables */
    char mnemonic[32];     /* with its prefix */
    struct insn_operand operand[INSN_OPERANDS_MOST];
    unsigned operands;
    struct insn_flags flags;
    uint8_t decoration; /* what the bytes add to the form */
};

#endif
