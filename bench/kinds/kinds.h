/* All kinds of measurement (bench/api/kind.h). A new one is a unit in this room, a line here, and
 * rows in a suite. */
#ifndef BENCH_KINDS_KINDS_H
#define BENCH_KINDS_KINDS_H

#include "bench/api/bench.h"
#include "bench/api/kind.h"
#include "bench/engine/plan.h"

extern const struct kind kind_curve;        /* a curve over sizes: curve_kind.c */
extern const struct kind kind_shared_curve; /* the same by several cores: shared_curve.c */
extern const struct kind kind_forward;      /* a map of store forwarding: forward_kind.c */
extern const struct kind kind_limit;        /* a curve over a count: limit_kind.c */
extern const struct kind kind_forms;        /* forms of instructions: forms_kind.c */
extern const struct kind kind_team;         /* several cores meet: team_run.c */
extern const struct kind kind_watch;        /* all cores watch for gaps: quiet.c */

static inline const struct kind *kind_of(const struct bench *b)
{
    return b->kind ? b->kind : &kind_windows;
}

#endif
