/*
 * An unused function that moves the code. moved_unused.c compiles this file again with a function
 * in the middle that is never called. Each object has one code section (-fno-function-sections,
 * Makefile), as in a build without such flags, so that the linker can neither drop nor move only
 * that function.
 */
#include "bench/api/keep.h"
#include "bench/suites/compiler/compiler.h"

#ifdef COMPILER_UNUSED
#define NAME(name) compiler_##name##_unused
#else
#define NAME(name) compiler_##name
#endif

#define ADD(x, amount)                                                                             \
    x += (amount);                                                                                 \
    BENCH_HIDE(x)

/*
 * The measured loop, the same source for both. Its instructions are independent of each other, so
 * it runs as fast as they are fetched. Functions begin at multiples of 32, loops at multiples of 16
 * (Makefile), and the constants make the loop so long that its last comparison and jump are in one
 * line of 64 bytes, or with the unused function in two, with every compiler
 * (tests/hosted/code/test_traps.py).
 */
static inline __attribute__((always_inline)) int count_up(uint64_t n, struct object *o)
{
    uint64_t a = 0, b = 0, c = 0, d = 0, e = 0;

    for (; n; n--) {
        BENCH_ITERATION(n);
        ADD(a, 2);
        ADD(b, 4);
        ADD(c, 1000);
        ADD(d, 2000);
        ADD(e, 3000);
    }
    o->counter += a / 2;
    return 0;
}

/* Begins a line of 64 bytes, so that both objects' code begins at the same offset in a line. */
__attribute__((aligned(64))) int NAME(still)(uint64_t n, struct object *o)
{
    return count_up(n, o);
}

#ifdef COMPILER_UNUSED
/* At most 32 bytes of code. */
uint64_t compiler_unused(uint64_t a, uint64_t b);
uint64_t compiler_unused(uint64_t a, uint64_t b)
{
    return (a ^ b) * 0x9e3779b97f4a7c15ull;
}
#endif

int NAME(moved)(uint64_t n, struct object *o)
{
    return count_up(n, o);
}
