/*
 * The methods of the literature, each as its author describes it (docs/literature.md).
 * There is one placement, aligned. The windows of the body, the empty body and the ruler are taken
 * forward and back. Each kind goes through the method separately, and the row's figure is the
 * difference. No sample is kept.
 *
 * The error of a figure is what the method itself observes:
 * - plain: 99%, from the differences of blocks that were taken at nearly the same time;
 * - kbest: the spread of the K smallest, of the body and of the empty body, plus a step;
 * - ensembles: the ranges of the minima, plus a step;
 * - each of these three: plus the core cycles that the recipe hides of a body;
 * - adaptive: 99%, from the differences of the last intervals, plus the clock's resolution.
 */
#ifndef BENCH_ENGINE_METHOD_H
#define BENCH_ENGINE_METHOD_H

#include "bench/engine/context.h"
#include "bench/engine/place.h"

/* Returns why this method cannot measure this row, whose data is cold or not; NULL: it can. */
const char *method_lacks(const struct bench *b, enum method method, bool cold);

/*
 * Measures the row's only placement with the method that method= selects. Fills row->method, and
 * the fields that all methods share: row->figure, errors, disturbed, windows, status and why.
 */
void method_row(struct engine *e, const struct placed *p, struct row *row);

#endif
