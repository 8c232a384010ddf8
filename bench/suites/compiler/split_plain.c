/* split.c without the splitter of quoted fields. */
#define COMPILER_PLAIN_ALONE
#include "bench/suites/compiler/split.c"
