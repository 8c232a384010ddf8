/* Compiled with -fPIC -fno-plt (Makefile): each call uses the GOT slot. */
#include "bench/suites/calls/pic.h"

BENCH_LOOP(calls_got, calls_exported(o))
BENCH_LOOP(calls_got_inc, calls_exported_inc(o))
