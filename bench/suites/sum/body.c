/* Both compilers add four ints at a time here (SSE2), gcc with one accumulator, clang with two. */
#include "bench/api/keep.h"
#include "bench/suites/sum/sum.h"

int sum_pass(uint64_t n, struct object *o)
{
    const uint32_t *array = o->room;
    for (; n; n -= SUM_INTS) {
        BENCH_TURN(n);
        uint32_t sum = 0;
        for (unsigned i = 0; i < SUM_INTS; i++)
            sum += array[i];
        o->counter += sum;
        BENCH_CLOBBER(); /* or the next pass's sum would be this one's */
    }
    return 0;
}

int sum_empty(uint64_t n, struct object *o)
{
    (void)o;
    for (; n; n -= SUM_INTS) {
        BENCH_TURN(n);
        BENCH_CLOBBER();
    }
    return 0;
}
