#define COMPILER_UNUSED
#include "bench/suites/compiler/moved.c"
