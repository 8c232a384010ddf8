/* moved.c with the unused function. */
#define COMPILER_UNUSED
#include "bench/suites/compiler/moved.c"
