/* Both compilers add four ints at a time (SSE2), gcc with one accumulator, clang with two. */
#include "bench/suites/sum/sum.h"

int sum_pass(uint64_t n, struct baretick_object *o)
{
    const uint32_t *array = o->room;
    int64_t left = (int64_t)n - SUM_INTS; /* after the next pass */

    for (; left >= 0; left -= SUM_INTS) {
        BARETICK_HIDE(left);
        uint32_t sum = 0;
        for (unsigned i = 0; i < SUM_INTS; i++)
            sum += array[i];
        o->counter += sum;
        BARETICK_CLOBBER(); /* otherwise the next pass would reuse this sum */
    }
    return (int)(left + SUM_INTS);
}

int sum_empty(uint64_t n, struct baretick_object *o)
{
    int64_t left = (int64_t)n - SUM_INTS;

    (void)o;
    for (; left >= 0; left -= SUM_INTS) {
        BARETICK_HIDE(left);
        BARETICK_CLOBBER();
    }
    return (int)(left + SUM_INTS);
}
