/*
 * The loop that measures a series of points on one core: sizes of memory, counts of instructions.
 * A measurement of a point is a visit; each has other code or data, as a row has placements.
 *
 * First visits show what a visit costs and where the series bends; the kind adds points there. Then
 * the kind plans passes over the points, which go forward in even rounds and backward in odd ones.
 * The time that is left repeats disturbed visits, and visits the points whose intervals are widest.
 * Where no CPU executes the code, no points are added and no visit is repeated.
 */
#ifndef BENCH_ENGINE_LOOP_H
#define BENCH_ENGINE_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bench/engine/pairs.h"
#include "bench/engine/budget.h"
#include "bench/engine/context.h"
#include "lib/curve/curve_steps.h"
#include "lib/curve/sizes.h"

/* --- visits of a point, each with other code or data, and the point's figure from them -------- */

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

/* --- the loop --------------------------------------------------------------------------------- */

#define LOOP_POINTS (CURVE_POINTS_MOST > SIZES_MOST ? CURVE_POINTS_MOST : SIZES_MOST)

struct loop_point {
    int64_t x;     /* a size, a count, an offset */
    double first;  /* the least figure of the first visits: cycles or ticks; UNKNOWN: not visited */
    double cost;   /* seconds of a visit */
    unsigned wish; /* for the kind: how many visits, and how important it is */
    uint8_t rank;
    bool due; /* it has a first visit next */
    struct visits visits;
};

/* A visit. */
struct loop_visit {
    struct pairs_figure exclusive, all;
    const char *wrong, *lacks; /* why the row fails, or is not supported; NULL: it continues */
};

struct loop;

/* What is special about a kind. ctx: of the loop. */
struct loop_steps {
    double first_share;    /* of the time, for first visits */
    bool keep_first;       /* the first visits count */
    unsigned passes_least; /* passes that are made even if the time is over */
    /* Visits a point: guarded, so it may fault. */
    void (*visit)(const struct loop *w, int64_t x, struct loop_visit *v);
    /* Returns whether there is no time for the first visit of point i. */
    bool (*is_late)(const struct loop *w, size_t i);
    /* Adds points, or marks points as due. Called after each turn of first visits, until it returns
     * false: nothing is to be visited. */
    bool (*refine)(struct loop *w);
    /* Sets `passes`. It may leave points out. */
    void (*plan)(struct loop *w);
    /* Returns the visits of point i in a pass. */
    unsigned (*times)(const struct loop *w, unsigned pass, size_t i);
    /* Draws the conclusions from all visits; called again after further visits. */
    void (*conclude)(struct loop *w);
    /* Returns how much more than others a point deserves the time that is left; 0: none of it. */
    double (*weight)(const struct loop *w, size_t i);
};

struct loop {
    struct engine *e;
    struct outcome *out;
    const struct loop_steps *steps;
    void *ctx;
    struct budget budget;
    uint64_t seed;   /* of the next visit */
    size_t n;        /* points, ascending in x */
    unsigned passes; /* after the first visits */
    bool less_time;  /* points are missing, because they would take too long */
    struct loop_point point[LOOP_POINTS];
};

/* Begins a loop in zeroed memory, with the time that the row has (bench/engine/plan.h). */
void loop_begin(struct loop *w, struct engine *e, struct outcome *out,
                const struct loop_steps *steps, void *ctx);
/* Inserts a point, which is due. False: there is no room. */
bool loop_add(struct loop *w, int64_t x);
/* Removes the points that no first visit has reached. */
void loop_drop_unvisited(struct loop *w);
/* Measures the points. False: the row has ended, and says why, or the user stopped the run. */
bool loop_run(struct loop *w);
/* Returns the figure of a point's visits so far. */
struct visits_figure loop_figure(const struct loop *w, size_t i);
/* Returns the number of rounds that the visits belong to. */
unsigned loop_rounds(const struct loop *w);
/* Returns whether no CPU executes the code: a few points prove that it works. */
static inline bool loop_is_proof(const struct loop *w)
{
    return w->e->facts.execution != EXEC_SILICON;
}

#endif
