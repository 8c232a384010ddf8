/* Macros for bodies that make passes over the room. */
#ifndef BENCH_SUITES_COMPILER_PASS_H
#define BENCH_SUITES_COMPILER_PASS_H

#include "bench/api/keep.h"
#include "bench/suites/compiler/compiler.h"

/*
 * The body that runs a pass repeatedly. `count` is PASS, hidden, so that no loop is unrolled
 * completely; nothing is moved from one pass to another.
 */
#define PASSES(name_) PASSES_OF(name_)
/* name_ may be a macro. */
#define PASSES_OF(name_)                                                                           \
    int compiler_##name_(uint64_t n, struct object *o)                                             \
    {                                                                                              \
        int64_t left = (int64_t)n - PASS; /* after the next pass */                                \
        for (; left >= 0; left -= PASS) {                                                          \
            BENCH_ITERATION(left);                                                                 \
            uint64_t count = PASS;                                                                 \
            BENCH_HIDE(count);                                                                     \
            o->counter += name_(o->room, count);                                                   \
            BENCH_CLOBBER();                                                                       \
        }                                                                                          \
        return (int)(left + PASS);                                                                 \
    }
/* Always part of its body: a pass must not become a separate function or a clone. */
#define ONE_PASS static inline __attribute__((always_inline)) uint64_t

/*
 * A pass that returns `sum`, which begins at 0. `...` is the i-th of `count` operations.
 * SUM_PASS_OF has a declaration before the loop.
 */
#define SUM_PASS(name_, ...) SUM_PASS_OF(name_, , __VA_ARGS__)
#define SUM_PASS_OF(name_, before_, ...)                                                           \
    ONE_PASS name_(uint64_t *table, uint64_t count)                                                \
    {                                                                                              \
        uint64_t sum = 0;                                                                          \
        before_;                                                                                   \
        (void)table;                                                                               \
        for (uint64_t i = 0; i < count; i++) {                                                     \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
        return sum;                                                                                \
    }                                                                                              \
    PASSES(name_)

/* Prevents a copy for one caller. clang makes none, and has no attribute for it. */
#ifdef __clang__
#define NOCLONE __attribute__((noinline))
#else
#define NOCLONE __attribute__((noinline, noclone))
#endif

#endif
