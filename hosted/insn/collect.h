/* The forms that a walk finds, each once, in the order in which they are found. */
#ifndef HOSTED_INSN_COLLECT_H
#define HOSTED_INSN_COLLECT_H

#include "hosted/insn/describe.h"

#define COLLECTED_MOST 16384

struct collected_form {
    struct described d;
    uint32_t seen; /* 1 << each index of collected_decorations[] that was found */
};

struct collected {
    struct collected_form *form;
    unsigned forms, instructions;
    unsigned *hashed; /* places in `form`, plus 1 */
};

/* Every combination of what EVEX adds, in the order of the bits of `seen`. */
extern const uint8_t collected_decorations[];

/* A `look` of walk(); ctx is a struct collected. */
void collect(void *ctx, const uint8_t *bytes);

/* Whether each form's decorations stand for all combinations of theirs that were found and for no
 * other, and whether its template is the form. What differs is printed. */
bool collected_check(const struct collected *all);

/* Forms with everything that may be added. */
unsigned collected_decorated(const struct collected *all);

void collected_free(struct collected *all);

#endif
