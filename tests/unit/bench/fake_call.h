/* window_call() of bench/engine/frame.asm without its care for registers. */
#ifndef TESTS_UNIT_BENCH_FAKE_CALL_H
#define TESTS_UNIT_BENCH_FAKE_CALL_H

#include <string.h>
#include "bench/engine/window.h"

struct window_called window_call(const void *function, const void *first, uint64_t second)
{
    uint64_t (*call)(const void *, uint64_t);

    memcpy(&call, &function, sizeof call); /* ISO C has no cast from data to function */
    return (struct window_called){call(first, second), 0};
}

#endif
