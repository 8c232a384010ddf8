/*
 * An unused function that moves the code. moved_unused.c compiles this file again with a function
 * in the middle that is never called. Each is one section (-fno-function-sections, Makefile), as
 * in a build without such flags, so that the linker can neither drop nor move that function
 * alone.
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
 * The loop that is measured, the same text for both: nothing waits for anything else, so that it
 * runs as fast as its instructions arrive. Functions begin at multiples of 32, loops at multiples
 * of 16 (Makefile), and the constants make the loop so long that its last comparison and jump are
 * in one line of 64 bytes, or with the unused function in two, whichever compiler made it
 * (tests/hosted/code/test_traps.py).
 */
static inline __attribute__((always_inline)) int count_up(uint64_t n, struct object *o)
{
    uint64_t a = 0, b = 0, c = 0, d = 0, e = 0;

    for (; n; n--) {
        BENCH_TURN(n);
        ADD(a, 2);
        ADD(b, 4);
        ADD(c, 1000);
        ADD(d, 2000);
        ADD(e, 3000);
    }
    o->counter += a / 2;
    return 0;
}

/* Begins a line of 64 bytes, so that both objects' code begins at the same place of one. */
__attribute__((aligned(64))) int NAME(still)(uint64_t n, struct object *o)
{
    return count_up(n, o);
}

#ifdef COMPILER_UNUSED
/* 32 bytes at the most. */
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
