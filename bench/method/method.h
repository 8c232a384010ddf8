/*
 * The literature's methods, each as its author gave it (docs/method.md, last section), told under
 * its own name beside ours. One placement, aligned. The body's windows, those of what is subtracted
 * and those of the ruler are taken there and back, each kind goes through the method by itself, and
 * the row's figure is the difference. No sample is kept.
 *
 * The error of a figure is what the method itself saw:
 * - plain: 99%, from the differences of blocks that were taken at nearly the same time;
 * - kbest: how far the K smallest lie apart, of the body and of what is subtracted, and a step;
 * - ensembles: the ranges of the minima, and a step;
 * - each of these three: the core cycles that the recipe hides of a body;
 * - adaptive: 99%, from the differences of the last stretches, and what the clock can tell apart.
 */
#ifndef BENCH_METHOD_METHOD_H
#define BENCH_METHOD_METHOD_H

#include "bench/context/context.h"
#include "bench/place/place.h"

/* Why this method cannot have this row, whose data is cold or not; NULL: it can. */
const char *method_lacks(const struct bench *b, enum method method, bool cold);

/*
 * Runs the row's only placement by the method that method= selects. Fills row->method; and, for all
 * that looks at rows by whatever method, row->headline, errors, disturbed, windows, status and why.
 */
void method_row(struct engine *e, const struct placed *p, struct row *row);

#endif
