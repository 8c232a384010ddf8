/* An instruction as decoded by Zydis, and its form for the table. */
#ifndef HOSTED_INSN_DESCRIBED_H
#define HOSTED_INSN_DESCRIBED_H

#include <Zydis/Zydis.h>
#include "lib/insn/form.h"

struct described {
    ZydisDecodedInstruction in;
    ZydisDecodedOperand zydis[ZYDIS_MAX_OPERAND_COUNT];
    struct insn_form form; /* except `name`, `operands` and `flags`, which are indices in tables */
    char mnemonic[32];     /* including its prefix */
    struct insn_operand operand[INSN_OPERANDS_MOST];
    unsigned operands;
    struct insn_flags flags;
    uint8_t decoration; /* what the bytes add to the form */
};

#endif
