/* A form of the table from bytes, by Zydis. */
#ifndef HOSTED_INSN_DESCRIBE_H
#define HOSTED_INSN_DESCRIBE_H

#include <stdbool.h>
#include "hosted/insn/described.h"

/* False: no instruction, or one that is no form of the table. */
bool describe(struct described *d, const uint8_t *bytes);

/* Whether these are the same form, whatever is added to it: they have the same name. */
bool described_same(const struct described *a, const struct described *b);

#endif
