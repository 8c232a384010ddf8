/* split.c without the splitter of plain fields. */
#define COMPILER_QUOTED_ALONE
#include "bench/suites/compiler/split.c"
