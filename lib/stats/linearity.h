/*
 * docs/method.md "Linearity": does a chain of N dependent adds read as N core cycles? The
 * arithmetic of the table that is in every report. Uses SSE: not for boot/ or trap handlers.
 */
#ifndef LIB_STATS_LINEARITY_H
#define LIB_STATS_LINEARITY_H

#include <stdbool.h>
#include <stddef.h>

#define LINEARITY_POINTS 9
/* N of each point, ascending: 0, 1, 2, 5, 10, 20, 50, 100, 1000. */
extern const unsigned linearity_adds[LINEARITY_POINTS];

struct linearity_point {
    unsigned adds;
    double ticks; /* T(N) as given */
    /* e(N) = (T(N) - T(1)) / c - (N - 1): what the window adds or hides; NaN: c unknown. */
    double cycles;
    double half; /* half-width of e(N), 99%; NaN where c or n is unknown */
    /* Not N = 0 (docs/method.md), nor N = 1, which the others are measured from. */
    bool judged;
};

/*
 * location[i]: where the windows over linearity_adds[i] adds lie, in ticks. c: ticks per core cycle
 * (0: not known). n: windows a point (0: not known). step: the TSC's, in ticks.
 */
void linearity(const double location[LINEARITY_POINTS], double c, size_t n, double step,
               struct linearity_point points[LINEARITY_POINTS]);

/* Windows a point that make the half-width at most `half` core cycles; at least 1, 0 where c or
 * half is not above 0. */
size_t linearity_windows(double half, double c, double step);

#endif
