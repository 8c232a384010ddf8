/* How bodies that make passes over the room are written. */
#ifndef BENCH_SUITES_COMPILER_PASS_H
#define BENCH_SUITES_COMPILER_PASS_H

#include "bench/api/keep.h"
#include "bench/suites/compiler/compiler.h"

/*
 * The body that runs a pass again and again. `count` is PASS, hidden, so that no loop is unrolled
 * to nothing; nothing is moved from one pass to another.
 */
#define PASSES(name_) PASSES_OF(name_)
/* name_ may be a macro. */
#define PASSES_OF(name_)                                                                           \
    int compiler_##name_(uint64_t n, struct object *o)                                             \
    {                                                                                              \
        int64_t left = (int64_t)n - PASS; /* after the pass to come */                             \
        for (; left >= 0; left -= PASS) {                                                          \
            BENCH_TURN(left);                                                                      \
            uint64_t count = PASS;                                                                 \
            BENCH_HIDE(count);                                                                     \
            o->counter += name_(o->room, count);                                                   \
            BENCH_CLOBBER();                                                                       \
        }                                                                                          \
        return (int)(left + PASS);                                                                 \
    }
/* Always part of its body: a pass is not to become a function of its own, nor a clone. */
#define ONE_PASS static inline __attribute__((always_inline)) uint64_t

/* No copy is made for a caller. clang makes none unasked, and has no word for it. */
#ifdef __clang__
#define NOCLONE __attribute__((noinline))
#else
#define NOCLONE __attribute__((noinline, noclone))
#endif

#endif
