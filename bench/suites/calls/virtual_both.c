/*
 * Two virtual functions by one base pointer: the first does nothing, the second ++*x. And one
 * function by a base pointer that points alternately to two objects, of one type or of two.
 *
 * If the pointer's type is known, as that of a C++ class marked `final`, compilers devirtualise:
 * they take the functions' addresses from the table at compile time, and call them. Otherwise each
 * call loads the object's table, and from it the function. The second call loads both again, since
 * the first may have changed the object.
 */
#include "bench/api/keep.h"
#include "bench/suites/calls/calls.h"

const struct vtable calls_table_both = {calls_callee, calls_callee_inc};

int calls_virtual_known(uint64_t n, struct object *o)
{
    for (; n; n--) {
        BENCH_ITERATION(n);
        calls_table_both.first(o);
        calls_table_both.method(o);
    }
    return 0;
}

int calls_virtual_unknown(uint64_t n, struct object *o)
{
    for (; n; n--) {
        BENCH_ITERATION(n);
        o->vtable->first(o);
        o->vtable->method(o);
    }
    return 0;
}

/* Returns the base pointer to one of the two objects in the room. */
static inline struct object *base(struct object *o, uint64_t n)
{
    struct object *pair = o->room;

    return &pair[n & 1];
}

int calls_virtual_types(uint64_t n, struct object *o)
{
    for (; n; n--) {
        BENCH_ITERATION(n);
        struct object *b = base(o, n);
        b->vtable->method(b);
    }
    return 0;
}

int calls_virtual_types_empty(uint64_t n, struct object *o)
{
    for (; n; n--) {
        BENCH_ITERATION(n);
        struct object *b = base(o, n);
        BENCH_KEEP(b);
        BENCH_CLOBBER();
    }
    return 0;
}
