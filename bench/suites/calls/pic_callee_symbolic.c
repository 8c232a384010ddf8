/* Hidden, by -fvisibility=hidden: bound by the linker, as -Bsymbolic does it. */
#define PIC_CALLEE(name) calls_symbolic_callee##name
#include "bench/suites/calls/pic_callee.c"
