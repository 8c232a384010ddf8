/*
 * The window recipes: how the time stamp counter is read around a body. The one list of their
 * names, used by the options, the report and bench/window/recipes.asm (same order).
 */
#ifndef LIB_CONFIG_RECIPE_H
#define LIB_CONFIG_RECIPE_H

#include <stdbool.h>

enum recipe {
    RECIPE_PLAIN,     /* rdtsc .. rdtsc */
    RECIPE_RDTSCP,    /* rdtscp .. rdtscp */
    RECIPE_XFENCE,    /* xfence;rdtsc .. rdtscp;xfence (LFENCE on Intel, MFENCE on others) */
    RECIPE_PAOLONI,   /* cpuid;rdtsc .. rdtscp;cpuid (Paoloni, Intel 324264, 2010) */
    RECIPE_CPUID,     /* cpuid;rdtsc .. cpuid;rdtsc */
    RECIPE_MFENCE,    /* mfence;lfence;rdtsc;lfence at both ends */
    RECIPE_LFENCE,    /* lfence;rdtsc;lfence at both ends */
    RECIPE_SERIALIZE, /* serialize;rdtsc;serialize at both ends */
    RECIPE_COUNT,
    RECIPE_AUTO = RECIPE_COUNT, /* lfence where it serialises, else cpuid */
};

extern const char *const recipe_names[RECIPE_COUNT + 1]; /* "plain" .. "serialize", "auto" */

#endif
