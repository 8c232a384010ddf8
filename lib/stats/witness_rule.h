/*
 * docs/witness.md "The witness": is this core exclusive? A window of NOPs shows it. They depend on
 * nothing, so they use the full width of the core: 1/6 core cycle per NOP if it takes six at
 * once. While the SMT sibling runs, each thread gets a part of the width, and the same NOPs take up
 * to twice as long. Nothing else shows this: no counter, no interrupt, no steal time.
 *
 * A reading is the time of a NOP, in core cycles by a ruler measured at the same time. It is
 * compared with the core's best: the lowest level that the core keeps. The best is a mode of the
 * readings that came WITNESS_RUN alike in a row. A minimum would be an outlier: an interrupted
 * ruler reads too many ticks per cycle, so that the NOPs look fast. One state per core.
 */
#ifndef LIB_STATS_WITNESS_RULE_H
#define LIB_STATS_WITNESS_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/stats/mathx.h"
#include "lib/stats/stats.h"

/* A reading more than this above the best is shared: docs/witness.md. Measured next to a busy SMT
 * sibling on a Golden Cove: 30% and more. */
#define WITNESS_ABOVE 0.08
/* A reading more than this below the best is not used: its ruler was disturbed. */
#define WITNESS_BELOW 0.15
/* Readings in a row that must be alike to count as a level. */
#define WITNESS_RUN 3
/* Levels are counted in bins of 1% between these limits, in core cycles per NOP. No core executes
 * 32 NOPs per cycle; an emulator takes more than 8 cycles. */
#define WITNESS_LEAST (1.0 / 32)
#define WITNESS_MOST  8.0
#define WITNESS_BINS  558

/* A zeroed struct is the initial state. */
struct witness {
    uint32_t readings;
    double noise;                 /* mean noise of the readings */
    uint32_t counted;             /* number of readings that came in runs */
    uint32_t shown[WITNESS_BINS]; /* number of those, by level */
    uint32_t ranged;              /* readings in range, alike or not */
    uint32_t seen[WITNESS_BINS];  /* number of those, by level */
    double run[WITNESS_RUN];      /* the first readings of the current run */
    double mean;                  /* of the current run of readings */
    uint32_t length;              /* readings in the current run */
    uint32_t look;                /* when `counted` reaches this, the best is searched again */
    double best;                  /* core cycles per NOP; 0: no level found yet */
};

/*
 * Adds a reading: `level` in core cycles per NOP, `noise` its relative standard error, `steady`:
 * its windows are as alike as on an exclusive core (witness_steady). A level that is not finite,
 * out of range or unsteady ends the run.
 *
 * The best is the lowest mode of the levels in runs that has at least 8 of them and 1 in 500, and
 * 85% of all within 16% of it: an exclusive core keeps its level, while a neighbour's share varies.
 * At most 10% of all readings lie below it: nothing is faster than an exclusive core. A core's
 * width is a whole or half number of NOPs per cycle: a mode that is more than 2.5% off any of those
 * is not a core's full width, unless 4 of 5 readings (of at least 256) lie there. A best within 2%
 * of such a width is set to it.
 */
void witness_add(struct witness *w, double level, double noise, bool steady);

/*
 * Returns true if windows of NOPs with the standard deviation `sd` are those of an exclusive core:
 * within twice what a clock in steps of `step` ticks causes, plus 2% of the NOPs' time (`ticks`).
 * On a Golden Cove it was 2% in total when exclusive, 3% to 30% with a busy SMT sibling.
 */
bool witness_steady(double sd, double step, double ticks);

/* Returns true if a reading shows an exclusive core. False while no best is known. If 3.5 standard
 * errors of a reading are more than 8%, they are the limit instead. */
bool witness_is_exclusive(const struct witness *w, double level, double noise);

/* The plan of a reading. */
#define WITNESS_WINDOWS 8 /* maximum number of NOP windows in a reading */
struct witness_plan {
    unsigned windows;            /* number of NOP windows, and of ruler windows */
    unsigned nops;               /* in each; a multiple of WITNESS_UNIT */
    unsigned adds;               /* of the ruler, in each; a multiple of 64 */
    double window, ruler_window; /* cost of the window itself, core cycles */
    double noise;                /* relative standard error of a reading */
};
#define WITNESS_UNIT 256 /* NOPs in a loop's body, small compared with any cache */

/*
 * Returns the shortest reading whose standard error is at most 1.6%, so that 8% is five of them.
 * step: of the clock, in core cycles. level: core cycles per NOP. window: the cost of a window
 * itself, in core cycles. A difference of two readings of a clock that
 * steps by s has a standard deviation of s / sqrt(6).
 */
struct witness_plan witness_plan(double step, double level, double window);

/*
 * Returns the moments of a reading's windows, in ticks, without those that were interrupted: longer
 * than `times` the shortest. A busy SMT sibling slows NOPs by at most WITNESS_SLOWEST, and
 * dependent additions not at all.
 */
#define WITNESS_SLOWEST 3.0
#define WITNESS_RULER   1.5
struct moments witness_undisturbed(const double *ticks, size_t n, double times);

/* Returns a reading: core cycles per NOP, from the mean windows of NOPs and of the ruler, in ticks.
 * UNKNOWN if they are implausible. */
static inline double witness_level(const struct witness_plan *plan, double nops, double ruler)
{
    double ticks_per_cycle = ruler / (plan->adds + plan->ruler_window);
    double level = (nops / ticks_per_cycle - plan->window) / plan->nops;

    return ruler > 0 && level > 0 ? level : UNKNOWN;
}

#endif
