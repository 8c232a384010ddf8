/*
 * Barriers that keep the optimiser from removing a benchmark's work. None of these emits an
 * instruction. They cost what the optimiser could have saved, and their operand has to be in a
 * register. Rows keep_cost, hide_cost and clobber_cost of suite `compiler` measure this; its rows
 * *_trap show what the compiler does if a barrier is missing.
 *
 * x is an integer or a pointer of at most 8 bytes, and not volatile. Other types do not compile;
 * BARETICK_KEEP and BARETICK_HIDE of bench/api/baretick.h take them.
 */
#ifndef BENCH_API_KEEP_H
#define BENCH_API_KEEP_H

/* __builtin_classify_type (GCC's typeclass.h) is 0 to 7 for integers, pointers, and arrays, which
 * a comma makes pointers. */
#define BENCH_CHECK_TYPE(x)                                                                        \
    _Static_assert(__builtin_classify_type(x) >= 0 && __builtin_classify_type(x) < 8 &&            \
                       sizeof(x) <= 8 &&                                                           \
                       __builtin_types_compatible_p(__typeof__(x), __typeof__(((void)0, (x)))),    \
                   "BENCH_KEEP and BENCH_HIDE take an integer or a pointer of at most 8 bytes")

/*
 * Makes the compiler compute x each time. Without it, a value that nothing uses is not computed: a
 * loop of loads is removed, and a sum of which only the result is used is computed from the number
 * of iterations (gcc: if all terms are equal; clang: also if they grow evenly).
 */
#define BENCH_KEEP(x)                                                                              \
    do {                                                                                           \
        BENCH_CHECK_TYPE(x);                                                                       \
        __asm__ volatile("" : : "r"(x));                                                           \
    } while (0)

/*
 * Makes the compiler assume that the variable x has another value from here on. Without it, a
 * look-up, a call or a division whose operands do not change is done once for the whole loop, or
 * at compile time. Division by a known divisor becomes a multiplication, and a multiplication by
 * the loop variable becomes an addition.
 */
#define BENCH_HIDE(x)                                                                              \
    do {                                                                                           \
        BENCH_CHECK_TYPE(x);                                                                       \
        __asm__ volatile("" : "+r"(x));                                                            \
    } while (0)

/*
 * Keeps the compiler from unrolling a measured loop. Comes first in each iteration; n is the number
 * of remaining iterations. Without it gcc 13 and later unroll a small loop at -O2, and the empty
 * loop, which is subtracted, costs less than the loop of the body.
 */
#define BENCH_ITERATION(n) BENCH_HIDE(n)

/*
 * Makes the compiler assume that memory was read and changed. Without it, only the last of several
 * stores to one address is made, a stored value is not loaded again, and nothing is loaded twice.
 * It does not affect registers, or local variables whose address does not escape.
 */
#define BENCH_CLOBBER() __asm__ volatile("" : : : "memory")

/*
 * Like BENCH_CLOBBER(), and includes the local array at address p. Without it, an array that is
 * filled and never read is not filled.
 */
#define BENCH_ESCAPE(p) __asm__ volatile("" : : "r"(p) : "memory")

#endif
