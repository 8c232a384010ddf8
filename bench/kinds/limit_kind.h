/*
 * Rows of FORM_LIMIT (suite `limits`): a core measures a curve over a count of fillers, branches or
 * bytes of code. Its steps are the core's limits. First passes measure the counts of a grid, and
 * then counts that are added between neighbours which differ (lib/limits/curve_steps.h). The
 * following passes measure all counts, forward and back. Each measurement has the code and the
 * data at another place.
 */
#ifndef BENCH_KINDS_LIMIT_KIND_H
#define BENCH_KINDS_LIMIT_KIND_H

#include "bench/kinds/plan.h"
#include "bench/result/limit.h"

/* Measures the curve on the k-th core of the plan. NULL: the core is gone, or the run was stopped.
 * The result is valid until the next row. Its row is wrong if a check failed, unsupported if the
 * CPU cannot execute the code; there are no points then. */
const struct limit *limit_measure(struct plan *plan, const struct bench *b, unsigned k);

#endif
