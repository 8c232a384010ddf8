/*
 * The generator of lib/insn/table.def: walks the space of encodings, decodes each with Zydis,
 * describes the form that it belongs to, and collects the forms.
 */
#ifndef HOSTED_TOOLS_INSN_TABLE_H
#define HOSTED_TOOLS_INSN_TABLE_H

#include <Zydis/Zydis.h>
#include <stdbool.h>
#include <stdint.h>
#include "lib/insn/form.h"

/* The bytes of an encoding: at least those of an instruction. */
#define WALK_BYTES 16

/* An instruction as decoded by Zydis, and its form for the table. */
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

/* The parts of a form that are not in its bytes (insn_judge.c): its name, the feature of CPUID,
 * properties, why it is not run. Sets `mnemonic`, and the form's `feature`, `why` and the
 * properties that are not in its bytes. Ends the program with a message if an ISA set is
 * unknown. */
void judge(struct described *d);

/* Describes a form of the table from bytes (insn_describe.c). False: not an instruction, or not a
 * form of the table. */
bool describe(struct described *d, const uint8_t *bytes);

/* Returns whether these are the same form, with any decoration: they have the same name. */
bool described_same(const struct described *a, const struct described *b);

/* The forms that a walk finds, each once, in the order of their discovery. */
#define COLLECTED_MOST 16384

struct collected_form {
    struct described d;
    uint32_t seen; /* bit i: collected_decorations[i] was found */
};

struct collected {
    struct collected_form *form;
    unsigned forms, instructions;
    unsigned *hashed; /* indices in `form`, plus 1 */
};

/* Every combination of what EVEX can add, in the order of the bits of `seen`. */
enum { COMBINATIONS = 12, ALL_DECORATIONS = 0x1f };
extern const uint8_t collected_decorations[COMBINATIONS];

/* Walks the space of encodings of 64-bit mode: prefixes, maps, opcodes and ModRM bytes, with one or
 * two registers for each field. 3DNow! and the address-size prefix are left out. */
void collect(struct collected *all);

#endif
