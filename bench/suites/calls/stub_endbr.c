/* Compiled with -fcf-protection=branch (Makefile). */
#if !defined(__CET__) || !(__CET__ & 1)
#error "this object must be compiled with landing pads"
#endif
#include "bench/suites/calls/stub.c"
