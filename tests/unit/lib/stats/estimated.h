/* The estimate over placements of one round. */
#ifndef TESTS_ESTIMATED_H
#define TESTS_ESTIMATED_H

#include "lib/stats/estimate.h"

enum { PLACEMENTS_MOST = 64 };
static double scratch[PLACEMENTS_MOST];

static inline struct estimate over(const double *theta, size_t n, double se, size_t m)
{
    const struct estimate_found found = {.theta = theta, .placements = n, .se = se, .m = m};

    return estimate_over(&found, scratch);
}

#endif
