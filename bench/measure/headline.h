/*
 * From a row's blocks to its figure: cycles an operation, the interval in which another boot will
 * find it, and its modes (docs/method.md "The headline", "Modes").
 */
#ifndef BENCH_MEASURE_HEADLINE_H
#define BENCH_MEASURE_HEADLINE_H

#include <stdbool.h>
#include "bench/measure/cycle.h"
#include "lib/stats/estimate.h"
#include "lib/stats/modes.h"

/*
 * kappa of docs/method.md: what one boot differs from another by, relative, beyond what its placements show.
 * `make silicon` fits it over 30 launches of the hosted program; on a virtual Zen 4 the largest of 20
 * rows came to 0.0018, the median to 0. This is that upper end; no bare machine was tried.
 */
#define HEADLINE_KAPPA 0.002

struct sampler;
struct bench;

/* By one source of cycles. NaN where it knows nothing of the row. */
struct figure {
    bool known;
    double ticks;           /* an operation */
    struct estimate cycles; /* an operation: core cycles, or instructions */
    double median;          /* of the placements' cycles: one that goes astray does not move it */
    double se;              /* of one placement, the mean over them */
};

struct headline {
    bool known;                   /* there are windows to take it from */
    bool doubled;                 /* from twice the body; else from the body and the empty window */
    double ticks;                 /* an operation */
    struct figure ruler, counter; /* the counter's where one was read around the blocks */
    struct estimate cycles;       /* an operation, by the source asked for; so is what follows */
    double median, se;
    struct modes modes; /* in cycles; count 0 where those are not known */
};

/* After sampler_judge; `step` of the TSC in ticks; leaves the placements' own figures in s->theta.
 * `by` the counter, or else by the ruler. Uses s->sorted and s->scratch. */
struct headline headline(struct sampler *s, const struct bench *b, double step, enum cycles_by by);

/* The median of n >= 1 figures, which it sorts. */
double headline_median(double *x, size_t n);

#endif
