/*
 * The C half of suite `calls`: callers, callees and tables stand in different objects, so that what
 * is measured is what a compiler makes of a call across them. Calls by a PLT and a GOT have pic.h,
 * the part whose target changes many.h, lazy binding lazy.h.
 */
#ifndef BENCH_SUITES_CALLS_CALLS_H
#define BENCH_SUITES_CALLS_CALLS_H

#include "bench/api/bench.h"

/* Hidden: the compiler puts no GOT between these, so that a row has no indirection but its own. */
#pragma GCC visibility push(hidden)

/* callee.c */
void calls_callee(struct object *o);     /* nothing */
void calls_callee_inc(struct object *o); /* ++*x */

/* tail.c: jump to calls_callee, calls_callee_inc */
void calls_tail_caller(struct object *o);
void calls_tail_caller_inc(struct object *o);

/* virtual.c: tables beside the caller; virtual_pic.c: the same functions in an object of their own.
 */
extern const struct vtable calls_table, calls_table_inc;
extern const struct vtable calls_table_pic, calls_table_pic_inc;
int calls_virtual(uint64_t n, struct object *o);

/* virtual_both.c: two virtual functions by one base pointer, two objects behind one */
extern const struct vtable calls_table_both;
int calls_virtual_known(uint64_t n, struct object *o);
int calls_virtual_unknown(uint64_t n, struct object *o);
int calls_virtual_types(uint64_t n, struct object *o);
int calls_virtual_types_empty(uint64_t n, struct object *o);

/* body.c: each a loop of n operations. */
int calls_empty(uint64_t n, struct object *o); /* the loop itself, which is subtracted */
int calls_inline_inc(uint64_t n, struct object *o);
int calls_direct(uint64_t n, struct object *o);
int calls_direct_inc(uint64_t n, struct object *o);
int calls_tail(uint64_t n, struct object *o);
int calls_tail_inc(uint64_t n, struct object *o);
int calls_register(uint64_t n, struct object *o);

/* pic_*.c: each a loop likewise; pic.h tells what they call */
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
