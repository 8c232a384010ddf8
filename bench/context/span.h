/* The time from row_begin() to row_end() of a row that is not taken in rounds, and the core's
 * events meanwhile. */
#ifndef BENCH_CONTEXT_SPAN_H
#define BENCH_CONTEXT_SPAN_H

#include "bench/context/pace.h"

/* Begins the row on the running core. It may last `ms` milliseconds longer than deadline=. */
static inline void span_begin(const struct engine *e, struct row *row, unsigned ms)
{
    e->p->row_begin(e->p, row->bench->suite, row->bench->name, 0);
    e->p->row_longer(e->p, ms);
    row->smis = engine_smis(e) - pace_smis(e);
    row->nmis = e->p->nmis();
}

/* Ends it on the same core. `smis`, `nmis` and `kept` of the row are the events since its begin. */
static inline void span_end(const struct engine *e, struct row *row)
{
    row->smis = engine_smis(e) - pace_smis(e) - row->smis;
    row->nmis = e->p->nmis() - row->nmis;
    e->p->row_end(e->p);
    engine_keep(e, row->kept);
}

#endif
