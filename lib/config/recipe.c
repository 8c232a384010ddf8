#include "lib/config/recipe.h"

const char *const recipe_names[RECIPE_COUNT + 1] = {RECIPE_CHOICES(WORD_NAME)};
