/* Compiled with -fPIC -fcf-protection=branch (Makefile). */
#if !defined(__CET__) || !(__CET__ & 1)
#error "this object must be compiled with landing pads"
#endif
#define PIC_CALLEE(name) calls_exported_endbr##name
#include "bench/suites/calls/pic_callee.c"
