/*
 * One core's part in a rendezvous (bench/kinds/team.h), guarded: it can neither block the run nor
 * end it by a fault (bench/engine/guard.h).
 */
#ifndef BENCH_KINDS_TEAM_PART_H
#define BENCH_KINDS_TEAM_PART_H

#include "bench/kinds/team.h"
#include "bench/engine/plan.h"

/* Sets c->places to all cores of the plan that are not gone, ascending. Returns their number. */
unsigned team_take_places(struct team *c);

/*
 * Calls fn(ctx), which returns or is aborted; then the core leaves the barrier. Runs on a core that
 * plan_on_all() has sent to a rendezvous, at this place of c->places.
 */
void team_part(struct team *c, unsigned place, void (*fn)(void *ctx), void *ctx);
/* Waits in fn for the common start. False: a core did not arrive in time. */
bool team_pass(struct team *c, unsigned place);
/* Marks in fn the time in which this core waits for others. */
void team_waits(struct team *c, unsigned place, bool waits);

enum team_end {
    TEAM_MET,
    TEAM_AGAIN, /* a core arrived too late, perhaps without a CPU: repeat the rendezvous */
    TEAM_FAILED /* the row has failed, with the reason */
};
/* Called after a rendezvous of the first n of c->places. Returns TEAM_FAILED if a part was aborted
 * or left state of its core changed; the row then names the core. */
enum team_end team_parts_done(struct team *c, unsigned n);
/*
 * Called after a rendezvous for which a core arrived too late; `why`: the symptom. On a platform
 * that can leave a core without a CPU the rendezvous is repeated a few times, each time with a
 * longer limit. After the last time the row is unsupported if a core had no CPU; otherwise it is
 * wrong.
 */
enum team_end team_late(struct team *c, const char *why);
/* Sends the first n of c->places to fn(ctx, core), each with a cleared struct team_core. fn calls
 * team_part().
 * *operations: of all cores together. TEAM_MET: every part is complete. */
enum team_end team_meet(struct team *c, unsigned n, void (*fn)(void *ctx, unsigned core), void *ctx,
                        uint64_t *operations);

/* Returns whether a rendezvous may begin. False: the row is past its deadline, or the user stopped
 * the run. */
bool team_go_on(struct team *c);

/* The reason of a row that has only one core. */
#define TEAM_ALONE "needs two cores or more: cores=all, on a machine that has them"

/* Returns the plan's memory for rendezvous; and its bytes (bench/api/kind.h). */
static inline struct team *team_of(const struct plan *plan)
{
    return plan->shared;
}

size_t team_memory(const struct options *o, unsigned all);

/* Clears it for a row. team_has_two() returns whether two cores or more measure. */
void team_begin(struct plan *plan, const struct bench *b);
bool team_has_two(const struct plan *plan);

#endif
