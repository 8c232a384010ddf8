/*
 * The methods of a table, one source for two objects: suite `calls` compares their location. The
 * method that is called is not the table's first, as in most tables.
 */
#ifndef BENCH_SUITES_CALLS_VIRTUAL_H
#define BENCH_SUITES_CALLS_VIRTUAL_H

#include "bench/suites/calls/calls.h"

static void method_first(struct object *o)
{
    (void)o;
}

static void method_empty(struct object *o)
{
    (void)o;
}

static void method_inc(struct object *o)
{
    ++o->counter;
}

#define CALLS_TABLES(name)                                                                         \
    const struct vtable name = {method_first, method_empty};                                       \
    const struct vtable name##_inc = {method_first, method_inc}

#endif
