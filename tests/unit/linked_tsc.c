/* The inline functions under other names, and then as functions. */
#define tsc_now        real_now
#define tsc_unfenced   real_unfenced
#define tsc_now_xfence real_now_xfence
#define tsc_now_rdtscp real_now_rdtscp
#include "bench/api/tsc.h"
#undef tsc_now
#undef tsc_unfenced
#undef tsc_now_xfence
#undef tsc_now_rdtscp
#include "tests/unit/linked_tsc.h"

uint64_t tsc_now(void)
{
    return real_now();
}

uint64_t tsc_unfenced(void)
{
    return real_unfenced();
}

uint64_t tsc_now_xfence(bool is_lfence)
{
    return real_now_xfence(is_lfence);
}

uint64_t tsc_now_rdtscp(void)
{
    return real_now_rdtscp();
}
