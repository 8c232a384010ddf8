/*
 * Suite `quiet` (FORM_WATCH): all cores at once do nothing but read their TSC for quiet_time=
 * seconds, so that every interruption appears as a gap (lib/stats/gaps.h).
 *
 * They do so in stretches of a second. In a stretch all cores begin together and nothing else runs.
 * Between two stretches the boot core polls for a key and updates the progress line while the
 * others wait: a poll may cause an SMI, which stops all cores, and would be a gap of the program's
 * own. This time is not watched.
 */
#ifndef BENCH_KINDS_QUIET_H
#define BENCH_KINDS_QUIET_H

#include <stdint.h>
#include "bench/kinds/plan.h"
#include "bench/result/cores.h"

/* Watches on all cores of the plan. If the run was stopped, or a core was lost or did not answer,
 * the result has what was watched until then; its row has the reason. The result is valid until the
 * next row. */
const struct quiet *quiet_watch(struct plan *plan, const struct bench *b);

/* Returns how long each core watches, in ticks. */
uint64_t quiet_duration(const struct engine *e);

#endif
