/*
 * One core's part in a meeting (bench/cores/crowd.h), guarded: it can neither hold the machine nor,
 * by a fault, end the run (bench/check/guard.h).
 */
#ifndef BENCH_CORES_CROWD_PART_H
#define BENCH_CORES_CROWD_PART_H

#include "bench/cores/crowd.h"

/*
 * On a core that plan_on_all() has sent to a meeting of c->places, at that place: fn(ctx), which
 * comes back or is ended. The core has left the barrier then.
 */
void crowd_part(struct crowd *c, unsigned place, void (*fn)(void *ctx), void *ctx);
/* In fn: begins together with the others. False: one did not come in time. */
bool crowd_pass(struct crowd *c, unsigned place);

/* Behind a meeting of the first n of c->places. False: a part was ended, and the row is wrong and
 * says whose. */
bool crowd_parts_done(struct crowd *c, unsigned n);
/* Before a meeting. False: the row is past its deadline, or a person stops the run. */
bool crowd_go_on(struct crowd *c);

#endif
