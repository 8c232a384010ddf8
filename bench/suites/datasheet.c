/* The suites whose figures make a datasheet of the CPU: each declares its part (SUMMARY_PART). */
#include "lib/config/options.h"

const char *const datasheet_words[] = {"suite=insn,memory,limits", "cores=types", NULL};
