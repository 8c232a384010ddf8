/* Compiled with -fPIC (Makefile), like pic_plt.c; the linker makes the calls direct. */
#include "bench/suites/calls/pic.h"

BENCH_LOOP(calls_symbolic, calls_symbolic_callee(o))
BENCH_LOOP(calls_symbolic_inc, calls_symbolic_callee_inc(o))
