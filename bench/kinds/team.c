#include "bench/kinds/team.h"

#define TEAM_PAIRS_AT_LIMIT (TEAM_ALL_PAIRS * (TEAM_ALL_PAIRS - 1) / 2)

size_t team_pairs_most(unsigned n)
{
    size_t all = (size_t)n * (n - 1) / 2, most = TEAM_PAIRS_AT_LIMIT, ring = 2 * (size_t)n;

    most = all < most ? all : most;
    return most > ring ? most : ring;
}

size_t team_lines(unsigned n)
{
    return (n + TEAM_WORDS - 1) / TEAM_WORDS;
}

size_t team_size(unsigned n)
{
    size_t bytes = sizeof(struct team) + n * sizeof(struct team_core) +
                   team_lines(n) * sizeof(struct team_line) +
                   team_pairs_most(n) * sizeof(struct pair);

    return (bytes + BARRIER_LINE - 1) / BARRIER_LINE * BARRIER_LINE;
}

void team_fail(struct team *c, enum row_status status, const char *why)
{
    outcome_fail(&c->met.row.out, status, why);
}
