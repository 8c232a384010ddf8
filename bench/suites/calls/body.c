/* Loops of calls, as a compiler writes them. `n` is never 0. */
#include "bench/api/statement.h"
#include "bench/suites/calls/calls.h"

BENCH_LOOP(calls_empty, (void)0)
BENCH_LOOP(calls_inline_inc, ++o->counter)
BENCH_LOOP(calls_direct, calls_callee(o))
BENCH_LOOP(calls_direct_inc, calls_callee_inc(o))
BENCH_LOOP(calls_plt, calls_stub(o))
BENCH_LOOP(calls_plt_inc, calls_stub_inc(o))
BENCH_LOOP(calls_plt_endbr, calls_stub_endbr(o))
BENCH_LOOP(calls_plt_endbr_inc, calls_stub_endbr_inc(o))
BENCH_LOOP(calls_tail, calls_tail_caller(o))
BENCH_LOOP(calls_tail_inc, calls_tail_caller_inc(o))
BENCH_LOOP(calls_got, calls_slot(o))
BENCH_LOOP(calls_got_inc, calls_slot_inc(o))

/* The pointer is loaded once: the calls are by register. */
int calls_register(uint64_t n, struct object *o)
{
    void (*callee)(struct object *) = o->table.method;
    for (; n; n--) {
        BENCH_TURN(n);
        callee(o);
        BENCH_CLOBBER();
    }
    return 0;
}
