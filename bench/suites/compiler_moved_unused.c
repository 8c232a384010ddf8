#define COMPILER_UNUSED
#include "bench/suites/compiler_moved.c"
