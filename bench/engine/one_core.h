/* Rows that one core measures at a time, all at once instead of in rounds: curves, limits, maps and
 * watches. */
#ifndef BENCH_ENGINE_ONE_CORE_H
#define BENCH_ENGINE_ONE_CORE_H

#include <stddef.h>
#include "bench/engine/plan.h"

struct one_core {
    /* Measures, on the core. `memory` is the engine's; its first `bytes` are zero, except for the
     * row that they begin with: its bench and core are set, and its events are counted. */
    void (*measure)(struct engine *e, void *memory);
    size_t bytes;
    unsigned ms; /* that it may take, and more if earlier rows of its suite took less: the engine's
                  * `spare.row`; deadline= counts from then */
};

/* Measures the row on the k-th core of the plan. Returns the engine's memory, which is valid until
 * the next row. NULL: the core is gone, or the run was stopped. */
void *one_core_measure(struct plan *plan, const struct bench *b, unsigned k,
                       const struct one_core *s);

#endif
