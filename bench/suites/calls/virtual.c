/* A virtual-style call: the table and its functions are in the caller's object. */
#include "bench/api/keep.h"
#include "bench/suites/calls/virtual.h"

CALLS_TABLES(calls_table);

int calls_virtual(uint64_t n, struct object *o)
{
    for (; n; n--) {
        BENCH_ITERATION(n);
        o->vtable->method(o);
    }
    return 0;
}
