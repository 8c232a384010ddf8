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

ONE_SUM sum_trap(uint64_t k)
{
    uint64_t sum = 0;

    for (uint64_t i = 1; i <= k; i++)
        sum += i;
    return sum;
}
SUMS(sum_trap)

ONE_SUM sum_cure(uint64_t k)
{
    uint64_t sum = 0;

    for (uint64_t i = 1; i <= k; i++) {
        sum += i;
        BENCH_KEEP(sum);
    }
    return sum;
}
SUMS(sum_cure)

ONE_SUM sum_formula(uint64_t k)
{
    return k * (k + 1) / 2;
}
SUMS(sum_formula)

/* The same for squares, j < k. */
ONE_SUM squares_trap(uint64_t k)
{
    uint64_t sum = 0;

    for (uint64_t j = 0; j < k; j++)
        sum += j * j;
    return sum;
}
SUMS(squares_trap)

ONE_SUM squares_cure(uint64_t k)
{
    uint64_t sum = 0;

    for (uint64_t j = 0; j < k; j++) {
        sum += j * j;
        BENCH_KEEP(sum);
    }
    return sum;
}
SUMS(squares_cure)

ONE_SUM squares_formula(uint64_t k)
{
    return (k - 1) * k * (2 * k - 1) / 6;
}
SUMS(squares_formula)

/*
 * The same for sixth powers. clang replaces this loop with a formula too, by a rule for all
 * polynomials. It is longer than the textbook formula, and slower than a short loop.
 */
ONE_SUM power_trap(uint64_t k)
{
    uint64_t sum = 0;

    for (uint64_t j = 1; j <= k; j++)
        sum += j * j * j * j * j * j;
    return sum;
}
SUMS(power_trap)

ONE_SUM power_cure(uint64_t k)
{
    uint64_t sum = 0;

    for (uint64_t j = 1; j <= k; j++) {
        sum += j * j * j * j * j * j;
        BENCH_KEEP(sum);
    }
    return sum;
}
SUMS(power_cure)

/* Faulhaber's formula; its product fits 64 bits up to k = 437. */
ONE_SUM power_formula(uint64_t k)
{
    const uint64_t square = k * k;

    return k * (k + 1) * (2 * k + 1) * (3 * square * square + 6 * square * k + 1 - 3 * k) / 42;
}
SUMS(power_formula)
