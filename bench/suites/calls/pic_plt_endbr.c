/* Compiled with -fPIC -fcf-protection=branch (Makefile): the PLT's entries begin with ENDBR64. */
#include "bench/suites/calls/pic.h"

BENCH_LOOP(calls_plt_endbr, calls_exported_endbr(o))
BENCH_LOOP(calls_plt_endbr_inc, calls_exported_endbr_inc(o))
