#include "lib/config/method.h"

const char *const method_names[METHOD_COUNT] = {METHOD_CHOICES(WORD_NAME)};
