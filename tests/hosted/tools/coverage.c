/*
 * Prints the figures and intervals of recorded launches, whose coverage a test judges.
 * Standard input: the numbers of placements and of rounds; then a line per launch and row with the
 * placements' figures, round by round. They have no error within placements.
 * Standard output: a line `figure lo hi` for each. Exit 1: the input has another form.
 */
#include <stdio.h>
#include "lib/stats/estimate.h"

#define PLACEMENTS_MOST 1000

/* Reads the rest of a line, whose first figure is theta[0]. */
static bool read_line(double *theta, size_t placements)
{
    for (size_t i = 1; i < placements; i++)
        if (scanf("%lf", &theta[i]) != 1)
            return false;
    return true;
}

static void print_interval(const double *theta, size_t n, size_t rounds)
{
    double round[PLACEMENTS_MOST], scratch[PLACEMENTS_MOST];
    struct estimate_taken part[PLACEMENTS_MOST];

    for (size_t i = 0; i < n; i++)
        part[i] = (struct estimate_taken){(unsigned)i, (unsigned)(i * rounds / n), 1, theta[i], 0};
    estimate_by_round(part, n, round, rounds);
    const struct estimate_found found = {.theta = theta,
                                         .placements = n,
                                         .round = round,
                                         .rounds = rounds,
                                         .rounds_differ = estimate_rounds_differ(part, n)};
    struct estimate e = estimate_over(&found, scratch);
    printf("%.9g %.9g %.9g\n", e.theta, e.lo, e.hi);
}

int main(void)
{
    size_t n, rounds;
    double theta[PLACEMENTS_MOST];
    bool good = scanf("%zu %zu", &n, &rounds) == 2 && n <= PLACEMENTS_MOST && rounds && rounds <= n;

    while (good && scanf("%lf", &theta[0]) == 1) {
        good = read_line(theta, n);
        if (good)
            print_interval(theta, n, rounds);
    }
    if (!good || !feof(stdin)) {
        fprintf(stderr, "coverage: standard input is not a table of placements' figures\n");
        return 1;
    }
    return 0;
}
