/*
 * Rows of FORM_CURVE that several cores measure at once (enum bench_crowd): bandwidth by number of
 * cores; latency of a chase on one core while the others stream at several rates; flushes of lines
 * that another core holds. Times are ticks of the TSC, never core cycles: two cores have two
 * clocks.
 *
 * The cores meet as in a row of suite `cores` (bench/kinds/crowd_part.h): each part is guarded, and
 * a meeting for which a core comes too late is repeated. The cores share the memory; each one works
 * on a part of it.
 */
#ifndef BENCH_KINDS_SHARED_CURVE_H
#define BENCH_KINDS_SHARED_CURVE_H

#include "bench/kinds/plan.h"
#include "bench/result/curve.h"

/* Measures the curve on all cores of the plan. NULL: the run was stopped. The result is valid until
 * the next row. Its row is wrong if a check failed, unsupported if it cannot be measured; there are
 * no points then. */
const struct curve *together_measure(struct plan *plan, const struct bench *b);

#endif
