/*
 * PLT-style stubs: one jump through a slot, which is what a compiler makes of a tail call through a
 * pointer. stub_endbr.c compiles this file again with landing pads (ENDBR64), as shared
 * libraries have them.
 */
#include "bench/suites/calls/calls.h"

#if defined(__CET__) && (__CET__ & 1)
#define STUB(name) calls_stub_endbr##name
#else
#define STUB(name) calls_stub##name
#endif

void STUB()(struct object *o)
{
    calls_slot(o);
}

void STUB(_inc)(struct object *o)
{
    calls_slot_inc(o);
}
