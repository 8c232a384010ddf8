/*
 * Rows of FORM_CURVE (suite `memory`): a core measures working sets of many sizes. A first pass
 * over a grid of sizes finds where the curve bends and what a measurement costs; then sizes are
 * added there, and the rest is planned so that the row keeps to its time (lib/memory/sizes.h). Each
 * measurement (a visit) has another order of the elements and another place in the area, as a row
 * has several placements; passes over the sizes go forward and back, as rounds.
 */
#ifndef BENCH_KINDS_CURVE_KIND_H
#define BENCH_KINDS_CURVE_KIND_H

#include "bench/kinds/plan.h"
#include "bench/result/curve.h"

/* Measures the curve on the k-th core of the plan. NULL: the core is gone, or the run was stopped.
 * The result is valid until the next row. Its row is wrong if a check failed, and
 * unsupported without enough memory; there are no points then. */
const struct curve *curve_measure(struct plan *plan, const struct bench *b, unsigned k);

#endif
