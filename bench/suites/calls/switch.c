/* A switch as compilers generate it: gcc and clang both make a jump table of it. */
#include "bench/api/keep.h"
#include "bench/suites/calls/many.h"

/*
 * Each case has different assembler text. Otherwise the compiler would look up the number in a
 * table instead of jumping.
 */
#define CASE(i)                                                                                    \
    case i:                                                                                        \
        __asm__ volatile("# case " #i : "+r"(sum));                                                \
        sum += (i) + 1;                                                                            \
        break

int calls_switch(uint64_t n, struct object *o)
{
    struct calls_order *order = o->room;

    if (n > CALLS_TAIL) /* the order is too short */
        return 1;
    const uint8_t *next = order->target + order->at;
    uint64_t sum = 0;
    order->at = (order->at + (uint32_t)n) % CALLS_ORDER;
    for (; n; n--) {
        BENCH_ITERATION(n);
        switch (*next++) {
            CASE(0);
            CASE(1);
            CASE(2);
            CASE(3);
            CASE(4);
            CASE(5);
            CASE(6);
            CASE(7);
        default: /* not in the order */
            return 1;
        }
    }
    o->counter += sum;
    return 0;
}

int calls_switch_empty(uint64_t n, struct object *o)
{
    struct calls_order *order = o->room;

    if (n > CALLS_TAIL) /* the order is too short */
        return 1;
    const uint8_t *next = order->target + order->at_empty;
    order->at_empty = (order->at_empty + (uint32_t)n) % CALLS_ORDER;
    for (; n; n--) {
        BENCH_ITERATION(n);
        BENCH_KEEP(*next++);
    }
    return 0;
}
