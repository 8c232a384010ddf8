/*
 * One core's part in a meeting (bench/cores/crowd.h), guarded: it can neither block the run nor end
 * it by a fault (bench/check/guard.h).
 */
#ifndef BENCH_CORES_CROWD_PART_H
#define BENCH_CORES_CROWD_PART_H

#include "bench/cores/crowd.h"

/*
 * Calls fn(ctx), which returns or is aborted; then the core leaves the barrier. Runs on a core that
 * plan_on_all() has sent to a meeting, at this place of c->places.
 */
void crowd_part(struct crowd *c, unsigned place, void (*fn)(void *ctx), void *ctx);
/* Waits in fn for the common start. False: a core did not arrive in time. */
bool crowd_pass(struct crowd *c, unsigned place);

/* Returns whether all parts were completed, after a meeting of the first n of c->places. False: a
 * part was aborted; the row is wrong and names its core. */
bool crowd_parts_done(struct crowd *c, unsigned n);
/* Returns whether a meeting may begin. False: the row is past its deadline, or the user stopped the
 * run. */
bool crowd_go_on(struct crowd *c);

#endif
