/*
 * From a row's blocks to its figure: cycles an operation, the interval in which another boot will
 * find it, and its modes (docs/method.md "The headline", "Modes").
 */
#ifndef BENCH_MEASURE_HEADLINE_H
#define BENCH_MEASURE_HEADLINE_H

#include <stddef.h>
#include <stdint.h>
#include "bench/measure/context.h"
#include "bench/measure/sampler.h"

/*
 * kappa of docs/method.md: what one boot differs from another by, relative, beyond what its
 * placements show. `make silicon` fits it over 30 launches of the hosted program; on a virtual
 * Zen 4 the largest of 20 rows came to 0.0018, the median to 0. This is that upper end; no bare
 * machine was tried.
 */
#define HEADLINE_KAPPA 0.002

/* Words of scratch that headline() works in, for so many blocks of each kind. */
size_t headline_need(size_t blocks, unsigned placements);

/*
 * After sampler_judge. Changes nothing in the sampler. `step` of the TSC in ticks;
 * cycles by the ruler or by the counter. theta[i] gets the i-th placement's cycles an operation,
 * UNKNOWN where it has none; scratch, headline_need(s->blocks, s->placements) words, is lost.
 */
struct headline headline(const struct sampler *s, const struct bench *b, double step,
                         enum cycles_by by, double *theta, uint64_t *scratch);

#endif
