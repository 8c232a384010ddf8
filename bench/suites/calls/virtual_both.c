/*
 * Two virtual functions by one base pointer: the first does nothing, the second ++*x. And one
 * function by a base pointer behind which two objects take turns, of one type or of two.
 *
 * Where the type behind the pointer is known, as that of a C++ class marked `final`, compilers
 * devirtualise: they take the functions' addresses from the table while compiling, and call them.
 * Where it is not, each call loads the object's table, and from it the function; for the second
 * call anew, since the first may have changed the object.
 */
#include "bench/api/keep.h"
#include "bench/suites/calls/calls.h"

const struct vtable calls_table_both = {calls_callee, calls_callee_inc};

int calls_virtual_known(uint64_t n, struct object *o)
{
    for (; n; n--) {
        BENCH_TURN(n);
        calls_table_both.first(o);
        calls_table_both.method(o);
    }
    return 0;
}

int calls_virtual_unknown(uint64_t n, struct object *o)
{
    for (; n; n--) {
        BENCH_TURN(n);
        o->vtable->first(o);
        o->vtable->method(o);
    }
    return 0;
}

/* The base pointer: the room has two objects. */
static inline struct object *base(struct object *o, uint64_t n)
{
    struct object *pair = o->room;

    return &pair[n & 1];
}

int calls_virtual_types(uint64_t n, struct object *o)
{
    for (; n; n--) {
        BENCH_TURN(n);
        struct object *b = base(o, n);
        b->vtable->method(b);
    }
    return 0;
}

int calls_virtual_types_empty(uint64_t n, struct object *o)
{
    for (; n; n--) {
        BENCH_TURN(n);
        struct object *b = base(o, n);
        BENCH_KEEP(b);
        BENCH_CLOBBER();
    }
    return 0;
}
