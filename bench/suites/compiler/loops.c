/*
 * Loops over numbers that follow a rule: a polynomial by its products and by its differences, and a
 * remainder by subtraction.
 */
#include "bench/suites/compiler/pass.h"

/* x * x * x - 2 * x * x + k * x + 7, as written. */
#define POLYNOMIAL(x, k) ((x) * (x) * (x)-2 * (x) * (x) + (k) * (x) + 7)

/* By products, left to the optimiser: several at once, or fewer multiplications. */
ONE_PASS products_trap(uint64_t *table, uint64_t count)
{
    uint32_t *p = (uint32_t *)table;
    const uint32_t m = (uint32_t)count, k = (uint32_t)table[COMPILER_K_AT];

    for (uint32_t j = 0; j < m; j++)
        *p++ = POLYNOMIAL(j, k);
    return count;
}
PASSES(products_trap)

/* Each value separately. */
ONE_PASS products_cure(uint64_t *table, uint64_t count)
{
    uint32_t *p = (uint32_t *)table;
    const uint32_t m = (uint32_t)count, k = (uint32_t)table[COMPILER_K_AT];

    for (uint32_t j = 0; j < m; j++) {
        uint32_t x = j;
        BENCH_HIDE(x);
        *p++ = POLYNOMIAL(x, k);
    }
    return count;
}
PASSES(products_cure)

/*
 * The same by a chain of recurrences. The first, second and third differences at 0 are k - 1, 2 and
 * 6: three additions per iteration, each of values of the previous iteration.
 */
ONE_PASS chain_trap(uint64_t *table, uint64_t count)
{
    uint32_t *p = (uint32_t *)table;
    uint32_t value = 7, first = (uint32_t)table[COMPILER_K_AT] - 1, second = 2;
    const uint32_t m = (uint32_t)count;

    for (uint32_t j = 0; j < m; j++) {
        *p++ = value;
        value += first;
        first += second;
        second += 6;
    }
    return count;
}
PASSES(chain_trap)

/* Three additions per value remain. */
ONE_PASS chain_cure(uint64_t *table, uint64_t count)
{
    uint32_t *p = (uint32_t *)table;
    uint32_t value = 7, first = (uint32_t)table[COMPILER_K_AT] - 1, second = 2;
    const uint32_t m = (uint32_t)count;

    for (uint32_t j = 0; j < m; j++) {
        *p++ = value;
        value += first;
        first += second;
        second += 6;
        BENCH_HIDE(value);
        BENCH_HIDE(first);
        BENCH_HIDE(second);
    }
    return count;
}
PASSES(chain_cure)

/*
 * A remainder by subtraction, suitable for small numbers. An optimiser that knows the final value
 * of such a loop replaces it with a division, or with the equivalent multiplication.
 */
#define SUBTRACTING(each_)                                                                         \
    uint64_t n = table[i];                                                                         \
    while (n > COMPILER_MODULUS) {                                                                 \
        n -= COMPILER_MODULUS;                                                                     \
        each_;                                                                                     \
    }                                                                                              \
    sum += n;                                                                                      \
    BENCH_KEEP(sum)
SUM_PASS(reduce_trap, SUBTRACTING())
SUM_PASS(reduce_cure, SUBTRACTING(BENCH_HIDE(n)))

/* The code that may replace the trap. It differs if n is a multiple: 0 in place of the modulus. */
SUM_PASS(reduce_modulo, sum += table[i] % COMPILER_MODULUS; BENCH_KEEP(sum))
