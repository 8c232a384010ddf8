/* Finds a form of lib/insn/form.h by its name, for tests. */
#ifndef TESTS_UNIT_LIB_INSN_FORM_NAMED_H
#define TESTS_UNIT_LIB_INSN_FORM_NAMED_H

#include "lib/insn/form.h"
#include "tests/unit/text.h"

/* Fails the test if no form has this name. */
static const struct insn_form *form_named(const char *name)
{
    for (unsigned i = 0; i < insn_count(); i++) {
        insn_name(insn_form(i), INSN_PLAIN, text_sink());
        if (strcmp(text, name) == 0)
            return insn_form(i);
    }
    fail_msg("no form is named %s", name);
    return NULL;
}

#endif
