/*
 * The gap detector (suite `gaps`, FORM_WATCH): a core only reads its TSC for watch= milliseconds,
 * so that every interruption appears as a gap (lib/stats/gaps.h).
 */
#ifndef BENCH_CORES_GAPS_H
#define BENCH_CORES_GAPS_H

#include <stdint.h>
#include "bench/cores/plan.h"
#include "bench/model/cores.h"

/* Watches on the k-th core of the plan. NULL: it is gone, or the run was stopped. The result is
 * valid until the next row. If the watch was aborted (a fault, deadline=), its row is wrong and
 * says why. */
const struct watch *gaps_watch(struct plan *plan, const struct bench *b, unsigned k);

/* Returns how long each core is watched, in ticks. */
uint64_t gaps_duration(const struct engine *e);

#endif
