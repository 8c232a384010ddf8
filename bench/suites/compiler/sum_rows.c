/*
 * Rows that show the count from which a formula is faster than the loop: 1 + 2 + ... + k, the
 * squares below k, and 1^6 + 2^6 + ... + k^6 for several k, in the three ways of sum_body.c. They
 * are many, so they run only on request.
 */
#include "bench/suites/compiler/compiler.h"

#define OPS 100

static uint64_t count_of(const struct object *o)
{
    return *(const uint64_t *)o->room;
}

static const char *added(const struct object *o, uint64_t operations)
{
    const uint64_t k = count_of(o);

    return o->counter == operations * (k * (k + 1) / 2) ? NULL : "the sums do not add up";
}

/* Checks with the loop, because the formula is to be checked. */
static const char *powers_added(const struct object *o, uint64_t operations)
{
    uint64_t sum = 0;

    for (uint64_t j = 1; j <= count_of(o); j++)
        sum += j * j * j * j * j * j;
    return o->counter == operations * sum ? NULL : "the powers do not add up";
}

/* Checks with the loop too. */
static const char *squares_added(const struct object *o, uint64_t operations)
{
    uint64_t sum = 0;

    for (uint64_t j = 0; j < count_of(o); j++)
        sum += j * j;
    return o->counter == operations * sum ? NULL : "the squares do not add up";
}

#define ROW(name_, k_, function_, what_, check_, ...)                                              \
    BENCH(compiler, name_##_##k_, .what = what_, .window.form = FORM_FUNCTION, .ops = OPS,         \
          .function = function_, .empty_function = compiler_sum_empty, .setup = set_##k_,          \
          .needs.room_bytes = sizeof(uint64_t), .check = check_, .proof.errors_are_wrong = true,   \
          .shown.at = k_, .on_request = true, __VA_ARGS__)
static const struct bench_family sums = {{"trap", "cure", "formula"}};
#define IN_LINE(name_, column_) .shown.family = &sums, .shown.line = #name_, .shown.column = column_
#define THREE_WAYS(name_, k_, sum_, check_, least_)                                                \
    ROW(name_##_trap, k_, compiler_##name_##_trap, sum_ ", left to the optimiser", check_,         \
        .shown.compared_with = #name_ "_cure_" #k_, IN_LINE(name_, 0));                            \
    ROW(name_##_cure, k_, compiler_##name_##_cure, sum_ " in a loop, which is included", check_,   \
        .proof.least_instructions = (least_) * (k_), IN_LINE(name_, 1));                           \
    ROW(name_##_formula, k_, compiler_##name_##_formula, sum_ " by the formula", check_,           \
        .shown.compared_with = #name_ "_cure_" #k_, IN_LINE(name_, 2))
#define SET(k_)                                                                                    \
    static void set_##k_(struct object *o)                                                         \
    {                                                                                              \
        *(uint64_t *)o->room = k_;                                                                 \
    }

/* Least instructions per iteration of the loops, with every compiler: an addition; for a sixth
 * power also three multiplications. */
#define SUMS(k_)    THREE_WAYS(sum, k_, "1 + 2 + ... + " #k_, added, 1)
#define SQUARES(k_) THREE_WAYS(squares, k_, "the sum of j * j, j < " #k_, squares_added, 1)
#define POWERS(k_)  THREE_WAYS(power, k_, "1^6 + ... + " #k_ "^6", powers_added, 4)

SET(1)
SET(2)
SET(3)
SET(4)
SET(6)
SET(8)
SET(12)
SET(16)
SET(64)

SUMS(1);
SUMS(2);
SUMS(4);
SUMS(8);
SUMS(16);
SUMS(64);

SQUARES(2);
SQUARES(4);
SQUARES(8);
SQUARES(16);

POWERS(1);
POWERS(2);
POWERS(3);
POWERS(4);
POWERS(6);
POWERS(8);
POWERS(12);
POWERS(16);
