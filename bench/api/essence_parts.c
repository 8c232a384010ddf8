#include "bench/api/essence_parts.h"
#include <stddef.h>

/* Set by linker.ld around section `baretick_essence` (by the linker itself in a hosted ELF). */
extern const struct essence_part *__start_baretick_essence[], *__stop_baretick_essence[];

static const struct essence_part *parts[ESSENCE_PARTS];

/* Sorts the parts. */
static void take(void)
{
    const struct essence_part **p = __start_baretick_essence;

    for (unsigned n = 0; p < __stop_baretick_essence; n++, p++) {
        unsigned at = n;
        if (n == ESSENCE_PARTS)
            __builtin_trap(); /* it is too small */
        for (; at > 0 && parts[at - 1]->rank > (*p)->rank; at--)
            parts[at] = parts[at - 1];
        parts[at] = *p;
    }
}

const struct essence_part *essence_part(unsigned i)
{
    if (!parts[0])
        take();
    return i < ESSENCE_PARTS ? parts[i] : NULL;
}

const struct sheet_source *sheet_source(unsigned i)
{
    const struct essence_part *part;

    for (unsigned p = 0; (part = essence_part(p)); p++)
        for (unsigned k = 0; k < SHEET_FIGURES && part->figure[k].label; k++)
            if (i-- == 0)
                return &part->figure[k];
    return NULL;
}
