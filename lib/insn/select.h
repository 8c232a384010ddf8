/* Selects forms by name, as bench= does. */
#ifndef LIB_INSN_SELECT_H
#define LIB_INSN_SELECT_H

#include "lib/insn/form.h"
#include "lib/text/sink.h"

#define INSN_WORD_MOST 128

/* Writes the form's name as one word: "add_r64_m64" for "add r64, m64". */
void insn_word(const struct insn_form *f, unsigned decoration, struct sink *out);

/* Returns whether a comma-separated list of patterns has one for this form. Patterns match the word
 * above. A form with a mask, broadcast or rounding needs a pattern with a brace: "*{k}*". */
bool insn_selected(const char *list, const struct insn_form *f, unsigned decoration);

/* Returns whether it has one for any form. */
bool insn_any_selected(const char *list);

#endif
