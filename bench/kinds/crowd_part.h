/*
 * One core's part in a meeting (bench/kinds/crowd.h), guarded: it can neither block the run nor end
 * it by a fault (bench/engine/guard.h).
 */
#ifndef BENCH_KINDS_CROWD_PART_H
#define BENCH_KINDS_CROWD_PART_H

#include "bench/kinds/crowd.h"
#include "bench/engine/plan.h"

/* Sets c->places to all cores of the plan that are not gone, ascending. Returns their number. */
unsigned crowd_take_places(struct crowd *c);

/*
 * Calls fn(ctx), which returns or is aborted; then the core leaves the barrier. Runs on a core that
 * plan_on_all() has sent to a meeting, at this place of c->places.
 */
void crowd_part(struct crowd *c, unsigned place, void (*fn)(void *ctx), void *ctx);
/* Waits in fn for the common start. False: a core did not arrive in time. */
bool crowd_pass(struct crowd *c, unsigned place);
/* Marks in fn the time in which this core waits for others. */
void crowd_waits(struct crowd *c, unsigned place, bool waits);

enum crowd_end {
    CROWD_MET,
    CROWD_AGAIN, /* a core arrived too late, perhaps without a CPU: repeat the meeting */
    CROWD_FAILED /* the row has failed, with the reason */
};
/* Called after a meeting of the first n of c->places. Returns CROWD_FAILED if a part was aborted or
 * left state of its core changed; the row then names the core. */
enum crowd_end crowd_parts_done(struct crowd *c, unsigned n);
/*
 * Called after a meeting for which a core arrived too late; `why`: the symptom. On a platform that
 * can leave a core without a CPU the meeting is repeated a few times, each time with a longer
 * limit. After the last time the row is unsupported if a core had no CPU; otherwise it is wrong.
 */
enum crowd_end crowd_late(struct crowd *c, const char *why);
/* Sends the first n of c->places to fn(ctx, core), each with a cleared struct crowd_core. fn calls
 * crowd_part().
 * *operations: of all cores together. CROWD_MET: every part is complete. */
enum crowd_end crowd_meet(struct crowd *c, unsigned n, void (*fn)(void *ctx, unsigned core),
                          void *ctx, uint64_t *operations);

/* Returns whether a meeting may begin. False: the row is past its deadline, or the user stopped the
 * run. */
bool crowd_go_on(struct crowd *c);

/* The reason of a row that has only one core. */
#define CROWD_ALONE "needs two cores or more: cores=all, on a machine that has them"

/* Returns the plan's memory for meetings; and its bytes (bench/api/kind.h). */
static inline struct crowd *crowd_of(const struct plan *plan)
{
    return plan->shared;
}

size_t crowd_memory(const struct options *o, unsigned all);

/* Clears it for a row. crowd_has_two() returns whether two cores or more measure. */
void crowd_begin(struct plan *plan, const struct bench *b);
bool crowd_has_two(const struct plan *plan);

#endif
