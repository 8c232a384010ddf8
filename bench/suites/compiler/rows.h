/* Declares rows whose bodies make passes over the room. */
#ifndef BENCH_SUITES_COMPILER_ROWS_H
#define BENCH_SUITES_COMPILER_ROWS_H

#include "bench/api/bench.h"
#include "bench/suites/compiler/compiler.h"

#define OPS     1000
#define FEW_OPS 200 /* for slow operations */
_Static_assert(OPS % PASS == 0 && FEW_OPS % PASS == 0, "whole passes");

/* A check that each pass added the values of its operations; each_: that of the i-th. */
#define ADDED(name_, each_)                                                                        \
    static const char *name_(const struct object *o, uint64_t operations)                          \
    {                                                                                              \
        uint64_t sum = 0;                                                                          \
        for (uint32_t i = 0; i < PASS; i++)                                                        \
            sum += each_;                                                                          \
        return o->counter == operations / PASS * sum ? NULL : "the passes do not add up";          \
    }

#define PASSES(name_, ops_, function_, empty_, ...)                                                \
    BENCH(compiler, name_, .window.form = FORM_FUNCTION, .ops = ops_, .function = function_,       \
          .empty_function = empty_, .needs.room_bytes = PASS * sizeof(uint64_t),                   \
          .window.grain = PASS, .proof.errors_are_wrong = true, __VA_ARGS__)
extern __attribute__((visibility("hidden"))) const struct bench_family compiler_pairs;
#define IN_LINE(name_, column_)                                                                    \
    .shown.family = &compiler_pairs, .shown.line = #name_, .shown.column = column_
/* Trap and cure in one line of the table; least_: of the cure; `...`: fields of both rows. */
#define TRAP_AND_CURE(name_, least_, trap_, cure_, ...)                                            \
    PASSES(name_##_trap, FEW_OPS, compiler_##name_##_trap, compiler_pass, .what = trap_,           \
           .shown.compared_with = #name_ "_cure", IN_LINE(name_, 0), __VA_ARGS__);                 \
    PASSES(name_##_cure, FEW_OPS, compiler_##name_##_cure, compiler_pass, .what = cure_,           \
           .proof.least_instructions = least_, IN_LINE(name_, 1), __VA_ARGS__)

#endif
