/*
 * docs/method.md "The witness": is this core ours alone? A window of NOPs shows it. They depend on
 * nothing, so they go through the core as wide as it is: 1/6 core cycle a NOP where six go at once.
 * While a sibling thread runs, each gets a part of the width, and the same NOPs take up to twice as
 * long. Nothing else tells: no counter, no interrupt, no steal time.
 *
 * A reading is what a NOP took, in core cycles by a ruler that was taken at the same time. What it
 * is compared with is the core's best: the lowest level that the core has kept to. It is found by
 * mode, out of readings that came WITNESS_RUN in a row alike: a minimum would be a freak reading (a
 * ruler that was interrupted reads too many ticks a cycle, so that the NOPs look fast). One state a
 * core. Uses SSE: not for boot/ or trap handlers.
 */
#ifndef LIB_STATS_WITNESS_H
#define LIB_STATS_WITNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/stats/moments.h"

/* A reading may lie above the best by so much, or it is shared: docs/method.md. Measured beside a
 * sibling on a Golden Cove: 30% and more. */
#define WITNESS_ABOVE 0.08
/* One that lies below it by more says nothing: its ruler was disturbed. */
#define WITNESS_BELOW 0.15
/* Readings in a row that must be alike to count for a level. */
#define WITNESS_RUN 3
/* Levels are counted in bins of 1% between these core cycles a NOP: 32 NOPs a cycle and more have
 * not been built; an emulator has more than 8 cycles. */
#define WITNESS_LEAST (1.0 / 32)
#define WITNESS_MOST  8.0
#define WITNESS_BINS  558

/* A zeroed struct knows nothing yet. */
struct witness {
    uint32_t readings;
    double noise;                 /* of them, the mean */
    uint32_t counted;             /* of them, in runs */
    uint32_t shown[WITNESS_BINS]; /* of those, by level */
    uint32_t ranged;              /* readings in range, alike or not, ... */
    uint32_t seen[WITNESS_BINS];  /* ... by level */
    double run[WITNESS_RUN];      /* the first of the present run */
    double mean;                  /* of the present run ... */
    uint32_t length;              /* ... and its length */
    uint32_t look;                /* when `counted` comes to this, the best is looked for again */
    double best;                  /* core cycles a NOP; 0: no level has been shown */
};

/*
 * One more reading: `level` in core cycles a NOP, `noise` its relative standard error, `steady`:
 * its windows were as alike as an exclusive core makes them (witness_steady). A level that is
 * not finite or out of range, or unsteady, breaks the run.
 *
 * The best is the lowest mode of the levels in runs that has 8 of them and 1 in 500, and of all
 * within 16% of it 85%: an exclusive core keeps to its level, where a neighbour's part varies.
 * Of all readings no more than 10% lie below it: nothing goes faster than an exclusive core. A
 * core's width is a whole or half number of NOPs a cycle: a mode that is more than 2.5% off any of
 * those is no core's own width, unless 4 of 5 readings (of 256 at the least) lie there. A best
 * within 2% of one is taken to be it.
 */
void witness_add(struct witness *w, double level, double noise, bool steady);

/*
 * Whether windows of NOPs whose ticks have the standard deviation `sd` are a core's own: within
 * twice what a clock in steps of `step` ticks makes of windows all alike, and 2% of what the NOPs
 * took (`ticks`). On a Golden Cove alone it was 2% in all, beside a sibling 3% to 30%.
 */
bool witness_steady(double sd, double step, double ticks);

/* Whether a reading shows an exclusive core. False while no best is known. Of readings so noisy
 * that 8% is less than 3.5 standard errors, those are allowed instead. */
bool witness_quiet(const struct witness *w, double level, double noise);

/* How a reading is taken. */
#define WITNESS_WINDOWS 8 /* of NOPs in a reading, at the most */
struct witness_plan {
    unsigned windows;            /* of NOPs, and as many of the ruler */
    unsigned nops;               /* in each; a multiple of WITNESS_UNIT */
    unsigned adds;               /* of the ruler, in each; a multiple of 64 */
    double window, ruler_window; /* what either takes by itself, core cycles */
    double noise;                /* relative standard error of such a reading */
};
#define WITNESS_UNIT 256 /* NOPs of a loop's body, small compared with any cache */

/*
 * For a clock that moves in steps of `step` core cycles, a core that takes `level` core cycles a
 * NOP, and windows that take `window` core cycles by themselves: the shortest reading whose
 * standard error is 1.6% at most, so that 8% is five of them. A difference of two readings of a
 * clock that steps by s has a standard deviation of s / sqrt(6).
 */
struct witness_plan witness_plan(double step, double level, double window);

/*
 * The windows of a reading, in ticks, but for those that an interrupt came into: longer than
 * `times` the shortest. A sibling makes NOPs no slower than WITNESS_SLOWEST times, and additions
 * that wait for each other not at all.
 */
#define WITNESS_SLOWEST 3.0
#define WITNESS_RULER   1.5
struct moments witness_undisturbed(const double *ticks, size_t n, double times);

/* A reading: core cycles a NOP, from the mean windows of NOPs and of the ruler, in ticks. UNKNOWN
 * where they make no sense. */
double witness_level(const struct witness_plan *plan, double nops, double ruler);

#endif
