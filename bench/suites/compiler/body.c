/*
 * Loops that an optimiser removes or changes, and the barriers against it: one pass each, `count`
 * operations over the words of `table`. The comments on the traps describe what gcc 12 and clang 14
 * both do at -O2; the rows show what another compiler does.
 */
#include "bench/api/statement.h"
#include "bench/suites/compiler/compiler.h"
#include "bench/suites/compiler/mix.h"
#include "bench/suites/compiler/pass.h"

ONE_PASS pass(uint64_t *table, uint64_t count)
{
    (void)table;
    (void)count;
    return 0;
}
PASSES(pass)

/* Strength reduction: the products become sums, each the previous one plus the factor. */
SUM_PASS(mul_trap, sum ^= i * table[0])
SUM_PASS(mul_cure, uint64_t x = i; BENCH_HIDE(x); sum ^= x * table[0])

/* A division by a known number becomes a multiplication and a shift. */
SUM_PASS(div_trap, sum += COMPILER_DIVIDEND(i) / COMPILER_DIVISOR)
SUM_PASS(div_cure, uint32_t divisor = COMPILER_DIVISOR; BENCH_HIDE(divisor);
         sum += COMPILER_DIVIDEND(i) / divisor)

/* The look-up is hoisted out of the loop, and the rest becomes one multiplication. */
SUM_PASS_OF(lookup_trap, uint64_t index = COMPILER_INDEX, sum += table[index])
SUM_PASS_OF(lookup_cure, uint64_t index = COMPILER_INDEX, BENCH_HIDE(index); sum += table[index])

/* Loads of unused values are removed, and the loop with them. */
ONE_PASS load_trap(uint64_t *table, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        (void)table[i];
    return count;
}
PASSES(load_trap)

ONE_PASS load_cure(uint64_t *table, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        BENCH_KEEP(table[i]);
    return count;
}
PASSES(load_cure)

/* Only the last of the stores to one address is made; the rest of the loop is removed. */
ONE_PASS store_trap(uint64_t *table, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        table[0] = i;
    return count;
}
PASSES(store_trap)

ONE_PASS store_cure(uint64_t *table, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        table[0] = i;
        BENCH_CLOBBER();
    }
    return count;
}
PASSES(store_cure)

/* A word that is stored back to its place is neither stored nor loaded. */
ONE_PASS silent_trap(uint64_t *table, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        uint64_t x = table[i];
        table[i] = x;
    }
    return count;
}
PASSES(silent_trap)

ONE_PASS silent_cure(uint64_t *table, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        uint64_t x = table[i];
        BENCH_HIDE(x);
        table[i] = x;
    }
    return count;
}
PASSES(silent_cure)

/* Dead stores: an array that is never read is not filled. */
ONE_PASS buffer_trap(uint64_t *table, uint64_t count)
{
    uint64_t buffer[PASS];

    (void)table;
    for (uint64_t i = 0; i < count; i++)
        buffer[i] = i;
    (void)buffer;
    return count;
}
PASSES(buffer_trap)

ONE_PASS buffer_cure(uint64_t *table, uint64_t count)
{
    uint64_t buffer[PASS];

    (void)table;
    for (uint64_t i = 0; i < count; i++)
        buffer[i] = i;
    BENCH_ESCAPE(buffer);
    return buffer[count - 1] + 1;
}
PASSES(buffer_cure)

/* Inlining: no call is left if the compiler sees the callee. */
SUM_PASS(inline_trap, sum += compiler_mix_text((uint32_t)i))
SUM_PASS(inline_cure, sum += compiler_mix((uint32_t)i))

/*
 * `noinline` is not enough: a function that visibly depends only on its argument is called once,
 * before the loop.
 */
static __attribute__((noinline)) uint32_t mix(uint32_t x)
{
    return compiler_mix_text(x);
}

SUM_PASS_OF(call_trap, uint32_t x = (uint32_t)table[0], sum += mix(x))
SUM_PASS_OF(call_cure, uint32_t x = (uint32_t)table[0], BENCH_HIDE(x); sum += mix(x))

/* Cloning: the callee is a copy for this caller. It knows the divisor, and does not divide. */
static __attribute__((noinline)) uint32_t quotient(uint32_t x, uint32_t divisor)
{
    return x / divisor;
}

SUM_PASS(clone_trap, sum += quotient(COMPILER_DIVIDEND(i), COMPILER_DIVISOR))
SUM_PASS(clone_cure, sum += compiler_quotient(COMPILER_DIVIDEND(i), COMPILER_DIVISOR))

/* No clone, but no division either: the compiler knows the range of all callers' arguments. */
static NOCLONE uint32_t quotient_of_one(uint32_t x, uint32_t divisor)
{
    return x / divisor;
}

SUM_PASS(clone_range, sum += quotient_of_one(COMPILER_DIVIDEND(i), COMPILER_DIVISOR))

/* A volatile sum is kept, but in memory: each iteration waits for the store of the previous one. */
ONE_PASS volatile_trap(uint64_t *table, uint64_t count)
{
    volatile uint64_t sum = 0;

    for (uint64_t i = 0; i < count; i++)
        sum += table[i];
    return sum;
}
PASSES(volatile_trap)

SUM_PASS(volatile_cure, sum += table[i]; BENCH_KEEP(sum))

/* Like DoNotOptimize in libraries: the compiler may choose between memory and a register. */
SUM_PASS(volatile_choice, sum += table[i]; __asm__ volatile("" : "+m,r"(sum) : : "memory"))

/* No traps: only the cost of keep.h's macros. */
BENCH_LOOP(compiler_iterations, (void)0)
BENCH_LOOP(compiler_iterations_keep, BENCH_KEEP(n))
BENCH_LOOP(compiler_iterations_hide, BENCH_HIDE(n))
