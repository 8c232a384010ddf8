/*
 * Rows from a plain C statement, or from a function that knows nothing of this program. `...` are
 * further fields of struct bench (bench.h): .check = ..., .setup = ..., .may_vanish = true
 */
#ifndef BENCH_API_STATEMENT_H
#define BENCH_API_STATEMENT_H

#include "bench/api/bench.h"
#include "bench/api/check.h"
#include "bench/api/keep.h"

#define BENCH_STATEMENT_OPS 1000

/*
 * One operation. A `break` in it ends this operation and runs onbreak_, a statement that may be
 * left empty; a `continue` ends it alone.
 */
#define BENCH_OPERATION(onbreak_, ...)                                                             \
    {                                                                                              \
        int bench_broke = 1;                                                                       \
        for (; bench_broke; bench_broke = 0) {                                                     \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
        if (bench_broke) {                                                                         \
            onbreak_;                                                                              \
        }                                                                                          \
    }

/*
 * A body (body_fn) that runs the statement n times, memory clobbered after each. The statement is
 * what follows the name, commas and semicolons included; it may use `o`, the object, and `n`,
 * the turns to go, and may `break`, which ends its turn alone; then onbreak_ is run. The suite's
 * header declares the body, since the rows are in another file.
 */
#define BENCH_LOOP(function_, ...) BENCH_LOOP_BREAK(function_, , __VA_ARGS__)
#define BENCH_LOOP_BREAK(function_, onbreak_, ...)                                                 \
    int function_(uint64_t n, struct object *o)                                                    \
    {                                                                                              \
        (void)o;                                                                                   \
        for (; n; n--) {                                                                           \
            BENCH_TURN(n);                                                                         \
            BENCH_OPERATION(onbreak_, __VA_ARGS__)                                                 \
            BENCH_CLOBBER();                                                                       \
        }                                                                                          \
        return 0;                                                                                  \
    }

/*
 * One operation is the block that follows. It is inlined into a loop; the same loop without it is
 * subtracted. It may use `o`, the object. What it computes and does not store it must BENCH_KEEP:
 *
 *   BENCH_STATEMENT(suite, name, "what one operation is", .check = check_counted)
 *   {
 *       uint64_t a = o->counter, b = 1;
 *       o->counter = a + b;
 *   }
 */
#define BENCH_STATEMENT(suite_, name_, what_, ...)                                                 \
    static inline __attribute__((always_inline)) void once_##suite_##_##name_(struct object *o);   \
    static BENCH_LOOP(run_##suite_##_##name_, once_##suite_##_##name_(o)) static BENCH_LOOP(       \
        empty_##suite_##_##name_, (void)0) BENCH_STATEMENT_ROW(suite_, name_, what_, __VA_ARGS__); \
    static inline __attribute__((always_inline)) void once_##suite_##_##name_(                     \
        __attribute__((unused)) struct object *o)

/*
 * The same of a block that may `break`, which is the last argument, since no function's body can be
 * left by that word. fields_: further fields of struct bench in parentheses, or (). A `break` ends
 * the operation, and onbreak_ is run, a statement that may be left empty:
 *
 *   BENCH_BREAKABLE(suite, name, "what one operation is", (.check = check_counted), o->counter++, {
 *       if (n % 4 == 0)
 *           break;
 *       o->counter++;
 *   });
 */
#define BENCH_BREAKABLE(suite_, name_, what_, fields_, onbreak_, ...)                              \
    static BENCH_LOOP_BREAK(run_##suite_##_##name_, onbreak_,                                      \
                            __VA_ARGS__) static BENCH_LOOP(empty_##suite_##_##name_, (void)0)      \
        BENCH_STATEMENT_ROW(suite_, name_, what_, BENCH_FIELDS fields_)

#define BENCH_FIELDS(...) __VA_ARGS__
#define BENCH_STATEMENT_ROW(suite_, name_, what_, ...)                                             \
    BENCH(suite_, name_, .what = what_, .form = FORM_FUNCTION, .ops = BENCH_STATEMENT_OPS,         \
          .function = run_##suite_##_##name_, .empty_function = empty_##suite_##_##name_,          \
          .errors_are_wrong = true, __VA_ARGS__)

/*
 * One of `ops_` operations of a function void fn(uint64_t n, void *ctx), which brings its own loop
 * (BENCH_TURN first in each turn) and should stand in another file. ctx_ is an expression and may
 * use `o`. A call that makes ready for fn and does not call it is subtracted.
 *
 *   BENCH_FUNCTION(suite, name, "what one operation is", 1000, fn, &o->counter,
 *                  .check = check_counted);
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
