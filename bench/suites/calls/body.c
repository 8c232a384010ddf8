/* Loops of calls, as a compiler generates them. `n` is never 0. By a PLT and a GOT: pic.h. */
#include "bench/api/statement.h"
#include "bench/suites/calls/calls.h"

BENCH_LOOP(calls_empty, (void)0)
BENCH_LOOP(calls_inline_inc, ++o->counter)
BENCH_LOOP(calls_direct, calls_callee(o))
BENCH_LOOP(calls_direct_inc, calls_callee_inc(o))
BENCH_LOOP(calls_tail, calls_tail_caller(o))
BENCH_LOOP(calls_tail_inc, calls_tail_caller_inc(o))

/* Calls by register: the pointer is loaded once. */
int calls_register(uint64_t n, struct object *o)
{
    void (*callee)(struct object *) = o->table.method;

    for (; n; n--) {
        BENCH_ITERATION(n);
        callee(o);
        BENCH_CLOBBER();
    }
    return 0;
}
