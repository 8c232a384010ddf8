/* Prints lib/insn/table.def. */
#ifndef HOSTED_INSN_PRINT_H
#define HOSTED_INSN_PRINT_H

#include "hosted/insn/collect.h"

/* Also sets the forms' `name`, `operands` and `flags`. */
void print_table(struct collected *all);

#endif
