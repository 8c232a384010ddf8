/* bench/api/tsc.h for the host: a clock that advances with each reading, and not while the host
 * runs something else. Include it first. */
#ifndef TESTS_UNIT_FAKE_TSC_H
#define TESTS_UNIT_FAKE_TSC_H

#include "tests/unit/one_tsc.h"

#define FAKE_TSC_STEP 26

static uint64_t fake_tsc = 1000000;

uint64_t tsc_now(void)
{
    return fake_tsc += FAKE_TSC_STEP;
}

#endif
