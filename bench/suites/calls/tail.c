/* A function that ends in another's call: with its frame gone, compilers jump there. */
#include "bench/suites/calls/calls.h"

void calls_tail_caller(struct object *o)
{
    calls_callee(o);
}

void calls_tail_caller_inc(struct object *o)
{
    calls_callee_inc(o);
}
