/* What the cures call: an object that the callers' optimiser does not see into. */
#include "bench/api/keep.h"
#include "bench/suites/compiler/compiler.h"
#include "bench/suites/compiler/mix.h"

uint32_t compiler_mix(uint32_t x)
{
    return compiler_mix_text(x);
}

uint32_t compiler_quotient(uint32_t x, uint32_t divisor)
{
    return x / divisor;
}

void compiler_count(uint64_t n, void *counter)
{
    uint64_t *count = counter;
    for (; n; n--) {
        BENCH_TURN(n);
        ++*count;
        BENCH_CLOBBER();
    }
}
