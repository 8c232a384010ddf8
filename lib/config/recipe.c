#include "lib/config/recipe.h"

const char *const recipe_names[RECIPE_COUNT + 1] = {
    [RECIPE_PLAIN] = "plain",     [RECIPE_RDTSCP] = "rdtscp",       [RECIPE_XFENCE] = "xfence",
    [RECIPE_PAOLONI] = "paoloni", [RECIPE_CPUID] = "cpuid",         [RECIPE_MFENCE] = "mfence",
    [RECIPE_LFENCE] = "lfence",   [RECIPE_SERIALIZE] = "serialize", [RECIPE_AUTO] = "auto",
};
