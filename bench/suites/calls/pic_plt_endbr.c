/* Compiled with -fPIC -fcf-protection=branch (Makefile): calls use a PLT with ENDBR64 in its
 * entries. */
#include "bench/suites/calls/pic.h"

BENCH_LOOP(calls_plt_endbr, calls_exported_endbr(o))
BENCH_LOOP(calls_plt_endbr_inc, calls_exported_endbr_inc(o))
