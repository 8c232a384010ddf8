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
 * runs as fast as its instructions arrive. They fill most of a line of 64 bytes, and lie in one or
 * in two.
 */
static inline __attribute__((always_inline)) int count_up(uint64_t n, struct object *o)
{
    uint64_t a = 0, b = 0, c = 0, d = 0, e = 0, f = 0;
    for (; n; n--) {
        BENCH_TURN(n);
        ADD(a, 1);
        ADD(b, 2);
        ADD(c, 1000);
        ADD(d, 2000);
        ADD(e, 3000);
        ADD(f, 4000);
    }
    o->counter += a;
    return 0;
}

/* Begins a line of 64 bytes, so that both objects' code begins at the same place of one. */
__attribute__((aligned(64))) int NAME(still)(uint64_t n, struct object *o)
{
    return count_up(n, o);
}

#ifdef COMPILER_UNUSED
uint64_t compiler_unused(uint64_t a, uint64_t b);
uint64_t compiler_unused(uint64_t a, uint64_t b)
{
    return (a ^ b) * 0x9e3779b97f4a7c15ull >> 32 | (a + b) << 32;
}
#endif

int NAME(moved)(uint64_t n, struct object *o)
{
    return count_up(n, o);
}
