#include "bench/kinds/crowd.h"

#define CROWD_PAIRS_AT_LIMIT (CROWD_ALL_PAIRS * (CROWD_ALL_PAIRS - 1) / 2)

size_t crowd_pairs(unsigned n)
{
    size_t all = (size_t)n * (n - 1) / 2, most = CROWD_PAIRS_AT_LIMIT, ring = 2 * (size_t)n;

    most = all < most ? all : most;
    return most > ring ? most : ring;
}

size_t crowd_lines(unsigned n)
{
    return (n + CROWD_WORDS - 1) / CROWD_WORDS;
}

size_t crowd_size(unsigned n)
{
    size_t bytes = sizeof(struct crowd) + n * sizeof(struct crowd_core) +
                   crowd_lines(n) * sizeof(struct crowd_line) +
                   crowd_pairs(n) * sizeof(struct pair);

    return (bytes + BARRIER_LINE - 1) / BARRIER_LINE * BARRIER_LINE;
}

void crowd_fail(struct crowd *c, enum row_status status, const char *why)
{
    outcome_fail(&c->met.row.out, status, why);
}
