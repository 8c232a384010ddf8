/* Compiled with -fvisibility=hidden: the linker binds the calls, as with -Bsymbolic. */
#define PIC_CALLEE(name) calls_symbolic_callee##name
#include "bench/suites/calls/pic_callee.c"
