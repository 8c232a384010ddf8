/*
 * docs/method.md "Linearity": does a chain of N dependent adds read as N core cycles? The
 * arithmetic of the table that is in every report. Uses SSE: not for boot/ or trap handlers.
 */
#ifndef LIB_STATS_LINEARITY_H
#define LIB_STATS_LINEARITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* The same points as one placement in one round saw them: UNKNOWN where no window counts. */
struct linearity_group {
    double location[LINEARITY_POINTS], c;
};

/*
 * Over groups: e(N) is the mean of theirs, its half-width that of their values by Student's t, or
 * that of the clock's step over all windows where it is wider. Groups that lack a point or c are
 * left out; returns how many are not. With none, nothing is known.
 */
size_t linearity_over(const struct linearity_group *group, size_t groups, size_t n, double step,
                      struct linearity_point points[LINEARITY_POINTS]);

#define LINEARITY_FROM 5 /* adds; shorter chains may lie in a recipe's shadow */
/*
 * The straight line through e(N) for N of LINEARITY_FROM and more: e = slope N - shadow. The shadow
 * is what the recipe hides of a body, core cycles; it falls out of all differences of two bodies.
 * A recipe is straight where no point is farther from the line than LINEARITY_BEND core cycles and
 * its half-width, nor the slope from 0 than LINEARITY_SLOPE and its own. Measured without anything
 * beside it: N = 100 alone 1.7 +- 0.5 off on a Golden Cove, for a reason of that body's own.
 */
#define LINEARITY_BEND  2.0
#define LINEARITY_SLOPE 0.001
struct linearity_line {
    double shadow, shadow_half;
    double slope, slope_half; /* core cycles an add */
    double bend;              /* the largest distance of a point from the line, core cycles */
    bool straight;
};
struct linearity_line linearity_line(const struct linearity_point points[LINEARITY_POINTS]);

#define LINEARITY_TESTS 7 /* the six points on the line, and its slope */
/*
 * Whether a recipe bends: for each test and to either side, the probability that groups in their
 * order lie as far beyond the limit (LINEARITY_BEND, LINEARITY_SLOPE) where the recipe is straight.
 * It is the larger of two:
 * - a sign test: each group is beyond the limit with a probability of a half at the most;
 * - Student's t of the groups' mean against the limit, with the number of groups that are
 *   independent: groups (1 - rho) / (1 + rho), where rho is the correlation of neighbouring groups
 *   and its own standard error. Groups that a slow disturbance moves together prove nothing so.
 * Groups that lack a point or c are left out. 1 where nothing can be told.
 */
struct linearity_bend {
    double p[LINEARITY_TESTS][2]; /* above the limit, below */
};
struct linearity_bend linearity_bend(const struct linearity_group *group, size_t groups);

/* Of two sets of groups, taken at different times: both must show the same bend. */
struct linearity_bend linearity_bend_both(const struct linearity_bend *a,
                                          const struct linearity_bend *b);

/* The smallest of these probabilities, times their number and LINEARITY_LOOKS; 1 at the most. A
 * bend is proven at LINEARITY_FALSE and below, which LINEARITY_PROVES groups can reach. Groups may
 * be judged LINEARITY_LOOKS times while they grow. */
#define LINEARITY_FALSE  1e-6
#define LINEARITY_LOOKS  2
#define LINEARITY_PROVES 25
double linearity_bend_p(const struct linearity_bend *b);

/* Windows a point that make the half-width at most `half` core cycles; at least 1, 0 where c or
 * half is not above 0. */
size_t linearity_windows(double half, double c, double step);

#endif
