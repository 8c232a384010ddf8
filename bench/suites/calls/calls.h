/*
 * The C half of suite `calls`: callers, callees and tables are in different objects, so that the
 * rows measure the code that a compiler generates for a call across them. pic.h has calls by a PLT
 * and a GOT, many.h calls whose target changes, lazy.h lazy binding.
 */
#ifndef BENCH_SUITES_CALLS_CALLS_H
#define BENCH_SUITES_CALLS_CALLS_H

#include "bench/api/bench.h"

/* Hidden: the compiler uses no GOT between these, so that a row adds no other indirection. */
#pragma GCC visibility push(hidden)

/* callee.c */
void calls_callee(struct object *o);     /* nothing */
void calls_callee_inc(struct object *o); /* ++*x */

/* tail.c: jump to calls_callee, calls_callee_inc */
void calls_tail_caller(struct object *o);
void calls_tail_caller_inc(struct object *o);

/* virtual.c: tables in the caller's object; virtual_pic.c: the functions in a separate object. */
extern const struct vtable calls_table, calls_table_inc;
extern const struct vtable calls_table_pic, calls_table_pic_inc;
int calls_virtual(uint64_t n, struct object *o);

/* virtual_both.c: two virtual functions by one base pointer; a base pointer to two objects */
extern const struct vtable calls_table_both;
int calls_virtual_known(uint64_t n, struct object *o);
int calls_virtual_unknown(uint64_t n, struct object *o);
int calls_virtual_types(uint64_t n, struct object *o);
int calls_virtual_types_empty(uint64_t n, struct object *o);

/* body.c: each a loop of n operations. */
int calls_empty(uint64_t n, struct object *o); /* the empty loop, which is subtracted */
int calls_inline_inc(uint64_t n, struct object *o);
int calls_direct(uint64_t n, struct object *o);
int calls_direct_inc(uint64_t n, struct object *o);
int calls_tail(uint64_t n, struct object *o);
int calls_tail_inc(uint64_t n, struct object *o);
int calls_register(uint64_t n, struct object *o);

/* pic_*.c: each also a loop of n operations; pic.h describes what they call */
int calls_plt(uint64_t n, struct object *o);
int calls_plt_inc(uint64_t n, struct object *o);
int calls_plt_endbr(uint64_t n, struct object *o);
int calls_plt_endbr_inc(uint64_t n, struct object *o);
int calls_got(uint64_t n, struct object *o);
int calls_got_inc(uint64_t n, struct object *o);
int calls_symbolic(uint64_t n, struct object *o);
int calls_symbolic_inc(uint64_t n, struct object *o);

/* retpoline.c: calls_register, compiled with retpolines */
int calls_retpoline(uint64_t n, struct object *o);

#pragma GCC visibility pop

#endif
