/* What is called, and the GOT slots that lead to it. */
#include "bench/suites/calls/calls.h"

void calls_callee(struct object *o)
{
    (void)o;
}

void calls_callee_inc(struct object *o)
{
    ++o->counter;
}

void (*calls_slot)(struct object *) = calls_callee;
void (*calls_slot_inc)(struct object *) = calls_callee_inc;
