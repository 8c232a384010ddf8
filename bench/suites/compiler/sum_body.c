/*
 * 1 + 2 + ... + k, the squares below k, and 1^6 + 2^6 + ... + k^6. k is hidden before each sum;
 * otherwise the sum would be a constant. The trap is the loop, left to the optimiser: clang
 * replaces each with a formula, gcc 12 keeps the loops, gcc 14 adds two terms of the first per
 * iteration. Next to it are a loop that is kept (the cure) and the formula.
 */
#include "bench/api/keep.h"
#include "bench/suites/compiler/compiler.h"

#define SUMS(name_)                                                                                \
    int compiler_##name_(uint64_t n, struct object *o)                                             \
    {                                                                                              \
        uint64_t k = *(const uint64_t *)o->room, all = 0;                                          \
        for (; n; n--) {                                                                           \
            BENCH_ITERATION(n);                                                                    \
            BENCH_HIDE(k);                                                                         \
            all += name_(k);                                                                       \
            BENCH_HIDE(all);                                                                       \
        }                                                                                          \
        o->counter += all;                                                                         \
        return 0;                                                                                  \
    }
#define ONE_SUM static inline __attribute__((always_inline)) uint64_t

/* Adds nothing: only the loop around the sums is left. */
ONE_SUM sum_empty(uint64_t k)
{
    BENCH_KEEP(k);
    return 0;
}
SUMS(sum_empty)

/* The loop over the counts from first_ on: the trap, and the cure. */
#define BOTH_LOOPS(name_, first_, goes_on_, term_)                                                 \
    ONE_SUM name_##_trap(uint64_t k)                                                               \
    {                                                                                              \
        uint64_t sum = 0;                                                                          \
        for (uint64_t j = first_; goes_on_; j++)                                                   \
            sum += term_;                                                                          \
        return sum;                                                                                \
    }                                                                                              \
    SUMS(name_##_trap)                                                                             \
    ONE_SUM name_##_cure(uint64_t k)                                                               \
    {                                                                                              \
        uint64_t sum = 0;                                                                          \
        for (uint64_t j = first_; goes_on_; j++) {                                                 \
            sum += term_;                                                                          \
            BENCH_KEEP(sum);                                                                       \
        }                                                                                          \
        return sum;                                                                                \
    }                                                                                              \
    SUMS(name_##_cure)
#define FORMULA(name_, value_)                                                                     \
    ONE_SUM name_##_formula(uint64_t k)                                                            \
    {                                                                                              \
        return value_;                                                                             \
    }                                                                                              \
    SUMS(name_##_formula)

BOTH_LOOPS(sum, 1, j <= k, j)
FORMULA(sum, (k * (k + 1) / 2))

BOTH_LOOPS(squares, 0, j < k, (j * j))
FORMULA(squares, (k - 1) * k * (2 * k - 1) / 6)

/* clang replaces this loop with a formula too, by a rule for all polynomials. It is longer than the
 * textbook formula, and slower than a short loop. */
BOTH_LOOPS(power, 1, j <= k, (j * j * j * j * j * j))
/* Faulhaber's formula; its product fits 64 bits up to k = 437. */
#define SQUARE (k * k)
FORMULA(power,
        (k * (k + 1) * (2 * k + 1) * (3 * SQUARE * SQUARE + 6 * SQUARE * k + 1 - 3 * k) / 42))
