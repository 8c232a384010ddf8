/* Describes a form of the table from bytes, with Zydis. */
#ifndef HOSTED_INSN_DESCRIBE_H
#define HOSTED_INSN_DESCRIBE_H

#include <stdbool.h>
#include "hosted/insn/described.h"

/* False: not an instruction, or not a form of the table. */
bool describe(struct described *d, const uint8_t *bytes);

/* Returns whether these are the same form, with any decoration: they have the same name. */
bool described_same(const struct described *a, const struct described *b);

#endif
