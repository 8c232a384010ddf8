/*
 * A row of FORM_FORWARD (suite `memory`): a core measures stores that a load follows, for every
 * size of both that the CPU has and for every offset at which they have bytes in common. Each cell
 * is measured at several places; the time of a store and its load is the median over these.
 */
#ifndef BENCH_KINDS_FORWARD_KIND_H
#define BENCH_KINDS_FORWARD_KIND_H

#include "bench/kinds/plan.h"
#include "bench/result/forward.h"

/* Measures the map on the k-th core of the plan. NULL: the core is gone, or the run was stopped.
 * The result is valid until the next row. Its row is wrong if a check failed, unsupported if the
 * map cannot be measured; there are no cells then. */
const struct forward_map *forward_measure(struct plan *plan, const struct bench *b, unsigned k);

#endif
