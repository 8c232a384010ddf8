/*
 * The loop that measures a series of points on one core: sizes of memory, counts of instructions.
 * The `steps` of a kind (bench/api/kind.h) say what is special about it. A measurement of a point
 * is a visit; each has other code or data, as a row has placements.
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
#include "bench/engine/budget.h"
#include "bench/engine/context.h"
#include "bench/engine/pairs.h"
#include "bench/result/series.h"

/* --- visits.c: visits of a point, each with other code or data, and the figure from them ------ */

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

/* --- loop.c ----------------------------------------------------------------------------------- */

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
struct plan; /* bench/engine/plan.h */

/* What is special about a kind. All is needed, except the steps that say what NULL is. */
struct loop_steps {
    double first_share;    /* of the time, for first visits */
    bool keep_first;       /* the first visits count */
    unsigned passes;       /* over the points after the first visits, ... */
    unsigned passes_least; /* ... of which this many are made even if the time is over */
    unsigned per_pass;     /* visits of a point in each; `plan` NULL: fewer if the time is short */
    size_t bytes;          /* of the memory of the row, which begins with a struct loop */
    /* Returns why the row cannot run; NULL: it can. */
    const char *(*lacks)(const struct platform *p, const struct bench *b);
    /* Takes what the row needs. False: the row has ended, and says why. NULL: nothing. */
    bool (*open)(struct loop *w);
    /* Gives it back. NULL: nothing. */
    void (*close)(struct loop *w);
    /* Adds the points that are visited first. */
    void (*points)(struct loop *w);
    /* Visits a point: guarded, so it may fault. */
    void (*visit)(struct loop *w, int64_t x, struct loop_visit *v);
    /* Returns whether there is no time for the first visit of point i. NULL: first_share is used
     * up, and there are LOOP_LEAST points. */
    bool (*is_late)(const struct loop *w, size_t i);
    /* Adds points, or marks points as due. Called after each turn of first visits, until it returns
     * false: nothing is to be visited. NULL: nothing. */
    bool (*refine)(struct loop *w);
    /* Sets w->passes, and `wish` of the points, which `times` reads. It may leave points out. NULL:
     * fewer visits, then fewer passes, then fewer points. */
    void (*plan)(struct loop *w);
    /* Returns the visits of point i in a pass. NULL: w->per_pass. */
    unsigned (*times)(const struct loop *w, unsigned pass, size_t i);
    /* Finds levels or steps. s->spoiled is SERIES_EMULATED, SERIES_SHARED or SERIES_CLEAN; it may
     * set another reason. Called again after further visits. NULL: they are not judged. */
    void (*judge)(struct series *s, enum execution execution);
    /* Returns how much more than others a point deserves the time that is left; 0: none of it.
     * NULL: 1. */
    double (*weight)(const struct loop *w, size_t i);
};

#define LOOP_LEAST 8 /* points of a series that is shortened for lack of time */

struct loop {
    struct series series; /* its points, levels and steps: when the visits are done */
    struct engine *e;
    const struct loop_steps *steps;
    struct budget budget;
    uint64_t seed;     /* of the next visit */
    size_t n;          /* points, ascending in x */
    unsigned turns;    /* of first visits that were added by `refine` */
    unsigned passes;   /* after the first visits */
    unsigned per_pass; /* visits of a point */
    struct loop_point point[SERIES_POINTS];
};

/* Inserts a point, which is due. False: there is no room. */
bool loop_add(struct loop *w, int64_t x);
/* Returns whether no CPU executes the code: a few points prove that it works. */
static inline bool loop_is_proof(const struct loop *w)
{
    return w->e->facts.execution != EXEC_SILICON;
}

/* `measure` of a struct kind whose `steps` this loop makes (bench/api/kind.h). */
const struct outcome *loop_measure(struct plan *plan, const struct bench *b, unsigned k);

#endif
