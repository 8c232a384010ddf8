/* A function that ends in a call: compilers remove its frame and jump to the callee. */
#include "bench/suites/calls/calls.h"

void calls_tail_caller(struct object *o)
{
    calls_callee(o);
}

void calls_tail_caller_inc(struct object *o)
{
    calls_callee_inc(o);
}
