#include "bench/memory/point.h"

#define STEPS_LEAST 1e3 /* of a walk */

_Static_assert(POINT_VISITS <= VISITS_MOST && POINT_ROUNDS <= VISITS_ROUNDS_MOST, "visits fit");

struct curve_point point_of(const struct visits *v, uint64_t bytes, unsigned rounds,
                            const struct engine *e)
{
    double finest = e->step_cycles / STEPS_LEAST;
    struct visits_figure f = visits_figure(v, rounds, finest, run_has_cycles(&e->facts));

    return (struct curve_point){.bytes = bytes,
                                .visits = v->n,
                                .ticks = f.ticks,
                                .cycles = f.cycles,
                                .lo = f.lo,
                                .hi = f.hi,
                                .shared = f.shared};
}
