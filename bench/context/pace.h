/*
 * What a long row looks at on its way: whether a person stops the run, and how far it has come, for
 * the progress line. Between blocks and placements, never between two windows of a block; seldom,
 * since a look reads ports, which a hypervisor or an SMI handler may emulate.
 */
#ifndef BENCH_CONTEXT_PACE_H
#define BENCH_CONTEXT_PACE_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/context/context.h"

/* One for all cores of a run, in the platform's memory. */
struct pace {
    const struct platform *p;
    uint64_t hz;           /* of the TSC; where it is not known, of the fastest */
    uint64_t looked;       /* TSC at the last look */
    volatile bool stopped; /* a person asked for the end: rows end as soon as they can */
    uint64_t smis;         /* that came during looks: they are no row's */
    uint64_t shown;        /* TSC when `show` was called last */
    /* Shows what part of the row is done, on the core that measures it. */
    void (*show)(void *ctx, double done);
    void *ctx;
};

void pace_init(struct pace *pace, const struct platform *p, const struct engine *e);

/* Looks at once. True: the run goes on. */
bool pace_look(struct pace *pace);

/*
 * Between two blocks: the same, and looks only where the last look was some time ago; where cores
 * measure together the first of them looks for all. False: the row is given up.
 */
bool pace_go_on(const struct engine *e);

/* Between two parts: shows how much is done, some times a second. Where cores measure together the
 * first of them does it for all. */
void pace_show(const struct engine *e, double done);

/* SMIs that came while this engine's run looked, so far. */
static inline uint64_t pace_smis(const struct engine *e)
{
    return e->pace ? e->pace->smis : 0;
}

#endif
