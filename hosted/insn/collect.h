/* The forms that a walk finds, each once, in the order of their discovery. */
#ifndef HOSTED_INSN_COLLECT_H
#define HOSTED_INSN_COLLECT_H

#include "hosted/insn/describe.h"

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
extern const uint8_t collected_decorations[];

/* A `look` of walk(); ctx is a struct collected. */
void collect(void *ctx, const uint8_t *bytes);

/* Checks that the combinations of each form's decorations are exactly those that were found, and
 * that its template is the form. Prints the differences. */
bool collected_check(const struct collected *all);

/* Returns the number of forms, counting each combination of decorations. */
unsigned collected_decorated(const struct collected *all);

void collected_free(struct collected *all);

#endif
