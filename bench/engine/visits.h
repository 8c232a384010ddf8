/* From the visits of one point of a curve, each with other code or data, to the point's figure. */
#ifndef BENCH_ENGINE_VISITS_H
#define BENCH_ENGINE_VISITS_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/engine/pairs.h"

#define VISITS_MOST        16 /* of a point */
#define VISITS_ROUNDS_MOST 5
#define VISITS_LEAST       3 /* for an interval: with two, Student's t is 64 */

/* A zeroed struct has no visits. */
struct visits {
    uint32_t n;
    uint8_t round[VISITS_MOST];
    struct pairs_figure exclusive[VISITS_MOST], all[VISITS_MOST];
};

struct visits_figure {
    double ticks;          /* UNKNOWN: no figure */
    double cycles, lo, hi; /* core cycles or instructions, and their interval; UNKNOWN: fewer
                            * than VISITS_LEAST visits have a figure, or they differ so much that
                            * the interval reaches zero */
    bool shared;           /* most pairs were on a shared core: the interval covers both states */
};

/* Adds a visit of a round; they are in the order measured. */
void visits_add(struct visits *v, unsigned round, const struct pairs_figure *exclusive,
                const struct pairs_figure *all);

/* Returns whether fewer than half of the pairs were without a neighbour. */
bool visits_are_shared(const struct visits *v);

/* Returns the first visit of which fewer than half of the pairs were without a neighbour. v->n: no
 * visit is like that. */
unsigned visits_disturbed(const struct visits *v);

/* Takes a repetition in place of visit `i` if more of its pairs were without a neighbour. */
void visits_repeat(struct visits *v, unsigned i, const struct pairs_figure *exclusive,
                   const struct pairs_figure *all);

/* finest: the standard error that only the TSC's step causes. has_cycles: core cycles or
 * instructions are known; otherwise there are ticks only. */
struct visits_figure visits_figure(const struct visits *v, unsigned rounds, double finest,
                                   bool has_cycles);

#endif
