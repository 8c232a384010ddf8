#include "bench/api/summary_parts.h"
#include <stddef.h>

/* Set by linker.ld around section `baretick_summary` (by the linker itself in a hosted ELF). */
extern const struct summary_part *__start_baretick_summary[], *__stop_baretick_summary[];

static const struct summary_part *parts[SUMMARY_PARTS];

/* Sorts the parts. */
static void take(void)
{
    const struct summary_part **p = __start_baretick_summary;

    for (unsigned n = 0; p < __stop_baretick_summary; n++, p++) {
        unsigned at = n;
        if (n == SUMMARY_PARTS)
            __builtin_trap(); /* it is too small */
        for (; at > 0 && parts[at - 1]->rank > (*p)->rank; at--)
            parts[at] = parts[at - 1];
        parts[at] = *p;
    }
}

const struct summary_part *summary_part(unsigned i)
{
    if (!parts[0])
        take();
    return i < SUMMARY_PARTS ? parts[i] : NULL;
}

const struct sheet_source *sheet_source(unsigned i)
{
    const struct summary_part *part;

    for (unsigned p = 0; (part = summary_part(p)); p++)
        for (unsigned k = 0; k < SHEET_FIGURES && part->figure[k].label; k++)
            if (i-- == 0)
                return &part->figure[k];
    return NULL;
}
