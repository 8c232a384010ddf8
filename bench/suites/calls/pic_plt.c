/* Compiled with -fPIC (Makefile): each call uses the PLT. */
#include "bench/suites/calls/pic.h"

BENCH_LOOP(calls_plt, calls_exported(o))
BENCH_LOOP(calls_plt_inc, calls_exported_inc(o))
