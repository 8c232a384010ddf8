/* The callees of the cures, in an object that the callers' optimiser does not see. */
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

/* The same layout as in glibc: characters may be signed. */
static int32_t lower_of[128 + 256];
static const int32_t *lower_of_0;

void compiler_fill_tolower_table(void)
{
    for (int32_t c = -128; c < 256; c++)
        lower_of[128 + c] = c >= 'A' && c <= 'Z' ? c | ('a' ^ 'A') : c;
    lower_of_0 = &lower_of[128];
}

const int32_t **compiler_tolower_table(void)
{
    return &lower_of_0;
}

void compiler_count(uint64_t n, void *counter)
{
    uint64_t *count = counter;

    for (; n; n--) {
        BENCH_ITERATION(n);
        ++*count;
        BENCH_CLOBBER();
    }
}
