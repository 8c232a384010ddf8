/*
 * The window recipes: how the time stamp counter is read around a body. The only list of their
 * names, for the options, the report and bench/engine/recipes.asm (same order).
 */
#ifndef LIB_CONFIG_RECIPE_H
#define LIB_CONFIG_RECIPE_H

#include "lib/config/word_list.h"

/*
 * plain:     rdtsc .. rdtsc
 * rdtscp:    rdtscp .. rdtscp
 * xfence:    xfence;rdtsc .. rdtscp;xfence (LFENCE on Intel, MFENCE on others)
 * paoloni:   cpuid;rdtsc .. rdtscp;cpuid (Paoloni, Intel 324264, 2010)
 * cpuid:     cpuid;rdtsc .. cpuid;rdtsc
 * mfence:    mfence;lfence;rdtsc;lfence at both ends
 * lfence:    lfence;rdtsc;lfence at both ends
 * serialize: serialize;rdtsc;serialize at both ends
 */
#define RECIPES(WORD)                                                                              \
    WORD(RECIPE_PLAIN, "plain")                                                                    \
    WORD(RECIPE_RDTSCP, "rdtscp")                                                                  \
    WORD(RECIPE_XFENCE, "xfence")                                                                  \
    WORD(RECIPE_PAOLONI, "paoloni")                                                                \
    WORD(RECIPE_CPUID, "cpuid")                                                                    \
    WORD(RECIPE_MFENCE, "mfence")                                                                  \
    WORD(RECIPE_LFENCE, "lfence")                                                                  \
    WORD(RECIPE_SERIALIZE, "serialize")

/* The words of recipe=; auto: lfence if it serialises, else cpuid. */
#define RECIPE_CHOICES(WORD) RECIPES(WORD) WORD(RECIPE_AUTO, "auto")

enum recipe { RECIPES(WORD_ID) RECIPE_COUNT, RECIPE_AUTO = RECIPE_COUNT };

extern const char *const recipe_names[RECIPE_COUNT + 1]; /* including "auto" */

#endif
