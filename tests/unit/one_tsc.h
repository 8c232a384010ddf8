/* The other readings of bench/api/tsc.h, for a test that defines tsc_now(). */
#ifndef TESTS_UNIT_ONE_TSC_H
#define TESTS_UNIT_ONE_TSC_H

#include "tests/unit/linked_tsc.h"

uint64_t tsc_unfenced(void)
{
    return tsc_now();
}

uint64_t tsc_now_xfence(bool is_lfence)
{
    return tsc_now();
}

uint64_t tsc_now_rdtscp(void)
{
    return tsc_now();
}

#endif
