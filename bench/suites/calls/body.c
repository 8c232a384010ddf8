/* Loops of calls, as a compiler writes them. `n` is never 0. */
#include "bench/api/keep.h"
#include "bench/suites/calls/calls.h"

#define LOOP_OF(name, operation)                                                                   \
    int name(uint64_t n, struct object *o)                                                         \
    {                                                                                              \
        (void)o;                                                                                   \
        for (; n; n--) {                                                                           \
            operation;                                                                             \
            BENCH_CLOBBER();                                                                       \
        }                                                                                          \
        return 0;                                                                                  \
    }

LOOP_OF(calls_empty, (void)0)
LOOP_OF(calls_inline_inc, ++o->counter)
LOOP_OF(calls_direct, calls_callee(o))
LOOP_OF(calls_direct_inc, calls_callee_inc(o))
LOOP_OF(calls_plt, calls_stub(o))
LOOP_OF(calls_plt_inc, calls_stub_inc(o))
LOOP_OF(calls_plt_endbr, calls_stub_endbr(o))
LOOP_OF(calls_plt_endbr_inc, calls_stub_endbr_inc(o))
LOOP_OF(calls_tail, calls_tail_caller(o))
LOOP_OF(calls_tail_inc, calls_tail_caller_inc(o))
LOOP_OF(calls_got, calls_slot(o))
LOOP_OF(calls_got_inc, calls_slot_inc(o))

int calls_register(uint64_t n, struct object *o)
{
    void (*callee)(struct object *) = o->table.method;
    for (; n; n--) {
        callee(o);
        BENCH_CLOBBER();
    }
    return 0;
}
