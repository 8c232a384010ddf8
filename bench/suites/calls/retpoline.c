/* A call by register through a thunk (-mindirect-branch=thunk, clang: -mretpoline; Makefile). */
#include "bench/api/keep.h"
#include "bench/suites/calls/calls.h"

int calls_retpoline(uint64_t n, struct object *o)
{
    void (*callee)(struct object *) = o->table.method;

    for (; n; n--) {
        BENCH_ITERATION(n);
        callee(o);
        BENCH_CLOBBER();
    }
    return 0;
}
