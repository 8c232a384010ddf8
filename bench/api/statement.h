/*
 * Declares rows from a plain C statement, or from a function that does not know this program. `...`
 * are further fields of struct bench (bench.h): .check = ..., .setup = ..., .may_be_elided = true
 */
#ifndef BENCH_API_STATEMENT_H
#define BENCH_API_STATEMENT_H

#include "bench/api/bench.h"
#include "bench/api/counted.h"
#include "bench/api/keep.h"

#define BENCH_STATEMENT_OPS 1000

/*
 * One operation. A `break` in it ends this operation and runs the statement onbreak_, which may be
 * empty; a `continue` only ends the operation.
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
 * A body (body_fn) that runs the statement n times and clobbers memory after each. The statement is
 * everything after the name, commas and semicolons included. It may use `o`, the object, and `n`,
 * the number of remaining iterations. A `break` ends only its own iteration and runs onbreak_. The
 * suite's header declares the body, since the rows are in another file.
 */
#define BENCH_LOOP(function_, ...) BENCH_LOOP_BREAK(function_, , __VA_ARGS__)
#define BENCH_LOOP_BREAK(function_, onbreak_, ...)                                                 \
    int function_(uint64_t n, struct object *o)                                                    \
    {                                                                                              \
        (void)o;                                                                                   \
        for (; n; n--) {                                                                           \
            BENCH_ITERATION(n);                                                                    \
            BENCH_OPERATION(onbreak_, __VA_ARGS__)                                                 \
            BENCH_CLOBBER();                                                                       \
        }                                                                                          \
        return 0;                                                                                  \
    }

/*
 * One operation is the block that follows. It is inlined into a loop; the same loop without it is
 * subtracted. It may use `o`, the object. It must BENCH_KEEP each result that it does not store:
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
 * The same for a block that may `break`. The block is the last argument, because `break` cannot
 * leave a function's body. fields_: further fields of struct bench in parentheses, or (). A `break`
 * ends the operation and runs the statement onbreak_, which may be empty:
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
    BENCH(suite_, name_, .what = what_, .window.form = FORM_FUNCTION, .ops = BENCH_STATEMENT_OPS,  \
          .function = run_##suite_##_##name_, .empty_function = empty_##suite_##_##name_,          \
          .proof.errors_are_wrong = true, __VA_ARGS__)

/*
 * A row that calls void fn(uint64_t n, void *ctx) with n = ops_. fn has its own loop
 * (BENCH_ITERATION first in each iteration) and should be in another file. ctx_ is an expression
 * and may use `o`. A function that prepares the arguments and does not call fn is subtracted.
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
    BENCH(suite_, name_, .what = what_, .window.form = FORM_FUNCTION, .ops = ops_,                 \
          .function = run_##suite_##_##name_, .empty_function = empty_##suite_##_##name_,          \
          .proof.errors_are_wrong = true, __VA_ARGS__)

#endif
