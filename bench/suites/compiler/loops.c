/*
 * Loops over numbers that follow a rule: a polynomial by its products and by its differences, and a
 * remainder by subtraction.
 */
#include "bench/suites/compiler/pass.h"

/* As written. x, k: names of variables. */
#define POLYNOMIAL(x, k) (x * x * x - 2 * x * x + k * x + 7)

/* Stores a value for each j to the 32-bit words from p on; `...` is the j-th of m operations. */
#define VALUES(name_, before_, ...)                                                                \
    ONE_PASS name_(uint64_t *table, uint64_t count)                                                \
    {                                                                                              \
        uint32_t *p = (uint32_t *)table;                                                           \
        const uint32_t m = (uint32_t)count, k = (uint32_t)table[COMPILER_K_AT];                    \
        before_;                                                                                   \
        for (uint32_t j = 0; j < m; j++) {                                                         \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
        return count;                                                                              \
    }                                                                                              \
    PASSES(name_)

/* By products, left to the optimiser: several at once, or fewer multiplications. The cure computes
 * each value separately. */
VALUES(products_trap, , *p++ = POLYNOMIAL(j, k))
VALUES(products_cure, , uint32_t x = j; BENCH_HIDE(x); *p++ = POLYNOMIAL(x, k))

/*
 * The same by a chain of recurrences. The first, second and third differences at 0 are k - 1, 2 and
 * 6: three additions per iteration, each of values of the previous iteration.
 */
#define AT_0 uint32_t value = 7, first = k - 1, second = 2
#define NEXT                                                                                       \
    *p++ = value;                                                                                  \
    value += first;                                                                                \
    first += second;                                                                               \
    second += 6
VALUES(chain_trap, AT_0, NEXT)
/* Three additions per value remain. */
VALUES(chain_cure, AT_0, NEXT; BENCH_HIDE(value); BENCH_HIDE(first); BENCH_HIDE(second))

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
