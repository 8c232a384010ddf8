/* The callees. */
#include "bench/suites/calls/calls.h"

void calls_callee(struct object *o)
{
    (void)o;
}

void calls_callee_inc(struct object *o)
{
    ++o->counter;
}
