/* The table of forms, and functions that describe a form. */
#ifndef LIB_INSN_TABLE_H
#define LIB_INSN_TABLE_H

#include "lib/insn/form.h"
#include "lib/text/sink.h"

unsigned insn_count(void);
const struct insn_form *insn_form(unsigned i); /* 0 to insn_count() - 1 */

const char *insn_mnemonic(const struct insn_form *f); /* including its prefix: "lock add" */
struct insn_flags insn_flags(const struct insn_form *f);

/* Lists the combinations that EVEX may add to the form, INSN_PLAIN first; returns their number. */
#define INSN_DECORATIONS_MOST 12
unsigned insn_decorations(const struct insn_form *f, uint8_t to[INSN_DECORATIONS_MOST]);

/* Lists the form's operands with this decoration, in the order of Intel's syntax, then the hidden
 * ones, then a mask. Returns their number. */
unsigned insn_operands(const struct insn_form *f, unsigned decoration,
                       struct insn_operand to[INSN_OPERANDS_MOST]);

/* Writes "{evex} vaddps zmm, zmm, m512 {k}{z}": classes for registers, bits for memory. Names of
 * forms are unique. */
void insn_name(const struct insn_form *f, unsigned decoration, struct sink *out);

/* Writes what the name begins with, before its operands: "{evex} vaddps". */
void insn_name_head(const struct insn_form *f, struct sink *out);

const char *insn_why_text(enum insn_why why);
const char *insn_feature_name(enum insn_feature feature);

#endif
