/*
 * Benchmarks from a plain statement, or from a function that knows nothing of this program. `...`
 * are further fields of struct bench: .check = ..., .floor = ..., .setup = ...
 */
#ifndef BENCH_API_STATEMENT_H
#define BENCH_API_STATEMENT_H

#include "bench/api/bench.h"
#include "bench/api/keep.h"

#define BENCH_STATEMENT_OPS 1000

/*
 * A body that runs the statement n times, memory clobbered after each. It may use `o`, the struct
 * object.
 */
#define BENCH_LOOP(function_, statement_)                                                          \
    static int function_(uint64_t n, struct object *o)                                             \
    {                                                                                              \
        (void)o;                                                                                   \
        for (; n; n--) {                                                                           \
            statement_;                                                                            \
            BENCH_CLOBBER();                                                                       \
        }                                                                                          \
        return 0;                                                                                  \
    }

/*
 * One operation is the statement; the same loop without it is subtracted. What it computes and does
 * not store it must BENCH_KEEP:
 *   BENCH_STATEMENT(suite, name, "what one operation is", ++o->counter, .check = counted);
 */
#define BENCH_STATEMENT(suite_, name_, what_, statement_, ...)                                     \
    BENCH_LOOP(run_##suite_##_##name_, statement_)                                                 \
    BENCH_LOOP(empty_##suite_##_##name_, (void)0)                                                  \
    BENCH(suite_, name_, .what = what_, .form = FORM_FUNCTION, .ops = BENCH_STATEMENT_OPS,         \
          .function = run_##suite_##_##name_, .empty_function = empty_##suite_##_##name_,          \
          .errors_are_wrong = true, __VA_ARGS__)

/*
 * One of n operations of a function void fn(uint64_t n, void *ctx), which brings its own loop and
 * should stand in another file; ctx_ is an expression and may use `o`. A call that makes ready for
 * fn and does not call it is subtracted.
 */
#define BENCH_FUNCTION(suite_, name_, what_, ops_, fn_, ctx_, ...)                                 \
    static int run_##suite_##_##name_(uint64_t n, struct object *o)                                \
    {                                                                                              \
        void *ctx = (ctx_);                                                                        \
        (void)o;                                                                                   \
        BENCH_HIDE(ctx);                                                                           \
        fn_(n, ctx);                                                                               \
        return 0;                                                                                  \
    }                                                                                              \
    static int empty_##suite_##_##name_(uint64_t n, struct object *o)                              \
    {                                                                                              \
        void *ctx = (ctx_);                                                                        \
        (void)o;                                                                                   \
        BENCH_KEEP(ctx);                                                                           \
        BENCH_KEEP(n);                                                                             \
        return 0;                                                                                  \
    }                                                                                              \
    BENCH(suite_, name_, .what = what_, .form = FORM_FUNCTION, .ops = ops_,                        \
          .function = run_##suite_##_##name_, .empty_function = empty_##suite_##_##name_,          \
          .errors_are_wrong = true, __VA_ARGS__)

#endif
