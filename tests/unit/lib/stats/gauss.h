/* Normal deviates from seeded randomness (Box and Muller 1958). */
#ifndef TESTS_UNIT_LIB_STATS_GAUSS_H
#define TESTS_UNIT_LIB_STATS_GAUSS_H

#include "lib/stats/mathx.h"
#include "tests/unit/rng.h"

static inline double gauss(struct rng *rng)
{
    double u = 1 - rng_unit(rng), v = rng_unit(rng);

    return mathx_sqrt(-2 * mathx_log(u)) * mathx_cos_turns(v);
}

#endif
