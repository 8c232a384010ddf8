/*
 * From which count on the formula beats the loop: 1 + 2 + ... + k for several k, in the three
 * ways of sum_body.c.
 */
#include "bench/suites/compiler/compiler.h"

#define OPS 100

static const char *added(const struct object *o, uint64_t operations)
{
    const uint64_t k = *(const uint64_t *)o->room;
    return o->counter == operations * (k * (k + 1) / 2) ? NULL : "the sums do not add up";
}

#define SUM(name_, function_, k_, what_, ...)                                                      \
    BENCH(compiler, name_, .what = what_, .form = FORM_FUNCTION, .ops = OPS,                       \
          .function = function_, .empty_function = compiler_sum_empty, .setup = set_##k_,          \
          .room_bytes = sizeof(uint64_t), .check = added, .errors_are_wrong = true, __VA_ARGS__)
/*
 * Floor of the loop: four instructions a turn, and no core takes 40 in a cycle. The formula's few
 * can hide behind those of the loop around it.
 */
#define SUMS(k_)                                                                                   \
    static void set_##k_(struct object *o)                                                         \
    {                                                                                              \
        *(uint64_t *)o->room = k_;                                                                 \
    }                                                                                              \
    SUM(sum_trap_##k_, compiler_sum_trap, k_, "1 + 2 + ... + " #k_ ", left to the optimiser",      \
        .beside = "sum_cure_" #k_);                                                                \
    SUM(sum_cure_##k_, compiler_sum_cure, k_,                                                      \
        "1 + 2 + ... + " #k_ " in a loop, which is included", .floor = 0.1 * (k_));                \
    SUM(sum_formula_##k_, compiler_sum_formula, k_, "1 + 2 + ... + " #k_ " by the formula",        \
        .beside = "sum_cure_" #k_)

SUMS(1);
SUMS(2);
SUMS(4);
SUMS(8);
SUMS(16);
SUMS(64);
