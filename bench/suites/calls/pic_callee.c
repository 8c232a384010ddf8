/*
 * The functions that a shared library exports, compiled with -fPIC (Makefile). The files that
 * include this one compile it again: pic_callee_endbr.c with landing pads (ENDBR64),
 * pic_callee_symbolic.c so that the linker binds all their calls directly.
 */
#include "bench/suites/calls/pic.h"

#ifndef PIC_CALLEE
#define PIC_CALLEE(name) calls_exported##name
#endif

void PIC_CALLEE()(struct object *o)
{
    (void)o;
}

void PIC_CALLEE(_inc)(struct object *o)
{
    ++o->counter;
}
