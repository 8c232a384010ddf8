/*
 * Polls during a long row whether the user stops the run, and updates the progress line. Polls
 * between blocks and placements, never between two windows of a block. Polls seldom, since it reads
 * ports, which a hypervisor or an SMI handler may emulate.
 */
#ifndef BENCH_ENGINE_POLL_H
#define BENCH_ENGINE_POLL_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/engine/context.h"

/* One for all cores of a run, in the platform's memory. */
struct poll {
    const struct platform *p;
    uint64_t hz;           /* of the TSC; if not known, of the fastest TSC */
    uint64_t looked;       /* TSC at the last poll */
    volatile bool stopped; /* the user stopped the run: rows end as soon as they can */
    uint64_t smis;         /* SMIs during polls: they are not counted for a row */
    uint64_t shown;        /* TSC at the last call of `show` */
    /* Shows which fraction of the row is done, on the core that measures it. */
    void (*show)(void *ctx, double done);
    void *ctx;
};

void poll_init(struct poll *poll, const struct platform *p, const struct engine *e);

/* Polls at once. True: the run continues. */
bool poll_now(struct poll *poll);

/*
 * Polls between two blocks, at most ten times per second. If cores measure together, the first of
 * them polls for all. False: the row is aborted.
 */
bool poll_go_on(const struct engine *e);

/* Shows the progress between two parts, at most twice per second. If cores measure together, the
 * first of them does it for all. */
void poll_show(const struct engine *e, double done);

/* Returns the number of SMIs during this run's polls so far. */
static inline uint64_t poll_smis(const struct engine *e)
{
    return e->poll ? e->poll->smis : 0;
}

/* --- a row that is not taken in rounds: from row.begin() to row.end() ------------------------- */

/* Begins the row on the running core. It may last `ms` milliseconds longer than deadline=. */
static inline void span_begin(const struct engine *e, struct outcome *out, unsigned ms)
{
    e->p->row.begin(e->p, out->bench->suite, out->bench->name, 0);
    e->p->row.longer(e->p, ms);
    out->smis = engine_smis(e) - poll_smis(e);
    out->nmis = e->p->events.nmis();
}

/* Ends it on the same core. `smis`, `nmis` and `kept` of the row are the events since its begin. */
static inline void span_end(const struct engine *e, struct outcome *out)
{
    out->smis = engine_smis(e) - poll_smis(e) - out->smis;
    out->nmis = e->p->events.nmis() - out->nmis;
    e->p->row.end(e->p);
    engine_keep(e, out->kept);
}

#endif
