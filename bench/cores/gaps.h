/*
 * The gap detector (suite `gaps`, FORM_WATCH): a core does nothing but read its TSC for watch=
 * milliseconds, and what holds it up shows (lib/stats/gaps.h).
 */
#ifndef BENCH_CORES_GAPS_H
#define BENCH_CORES_GAPS_H

#include <stdint.h>
#include "bench/cores/plan.h"
#include "bench/model/cores.h"

/* Watches on the k-th core of the plan. NULL: it is gone, or goes now. Valid until the next row.
 * Where it was ended (a fault, deadline=), the seat's `row` is wrong and says why. */
const struct watch *gaps_watch(struct plan *plan, const struct bench *b, unsigned k);

/* What gaps are timed by: the TSC's frequency, or where that is not known a round figure to end
 * by. */
uint64_t gaps_hz(const struct engine *e);

/* How long each core is watched, in those ticks. */
uint64_t gaps_duration(const struct engine *e);

#endif
