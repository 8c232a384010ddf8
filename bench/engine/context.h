/*
 * The state that all rows of a run share on one core: the machine, the options, the probe's
 * results, and the working memory. All measuring code uses it; engine.h and probe.h fill it.
 */
#ifndef BENCH_ENGINE_CONTEXT_H
#define BENCH_ENGINE_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/api/platform.h"
#include "bench/result/facts.h"
#include "bench/result/row.h"
#include "lib/stats/witness_rule.h"

#define ENGINE_BLOCK 16 /* windows of one kind in a row; docs/window.md "Order and warm-up" */

struct compiled;
struct gate;
struct gathered;
struct poll;
struct sampler;
struct placed;

/* The core's witness (bench/engine/witness.h). */
struct core_witness {
    struct witness_plan plan;
    struct witness levels;        /* of the readings */
    double last;                  /* the last reading */
    uint64_t read_at, read_ticks; /* TSC at its end, and its duration in ticks */
    uint64_t search_left;         /* TSC ticks that the probe may still spend on shared blocks */
    uint64_t taken, repeated;     /* TSC ticks of all rows' parts: of blocks that were not repeated;
                                   * of repeated ones */
    unsigned runs, exclusive;     /* of blocks between two readings, lately; the exclusive ones */
};

/* The time of a suite's rows: what one does not use, the next ones may. */
struct spare {
    const char *suite; /* NULL: no row was measured yet */
    double ms;         /* that earlier rows of the suite left */
    unsigned row;      /* ms that the row may take */
};

struct engine {
    const struct platform *p;
    struct run_facts facts;
    struct gate *gate; /* NULL: no other core measures at the same time */
    struct poll *poll; /* polled between blocks; NULL: not polled */
    bool xfence_is_lfence;
    uint64_t step_cycles;        /* the TSC's step in core cycles: the range of the dither */
    double hides;                /* most core cycles of a body that the recipe in use hides */
    struct core_witness witness; /* the core's witness */
    struct spare spare;          /* of the rows that one core measures at a time */

    struct sampler *sampler; /* these share the platform's memory */
    struct placed *placed;
    struct compiled *compiled;
    struct gathered *gathered; /* memory for a row with one round */
    uint64_t *memory;
    struct core_figure *figures; /* of each registered row so far (bench/engine/plan.h) */
};

/* Returns where the row's device is. 0: *why says why it is not available. */
static inline uint64_t engine_device(const struct engine *e, const struct bench *b,
                                     const char **why)
{
    *why = "needs a device, to which this platform gives no access";
    return e->p->device ? e->p->device(e->p, b->needs.device, why) : 0;
}

/* Returns why a row cannot run on this machine; NULL: it can. */
static inline const char *engine_lacks(const struct engine *e, const struct bench *b)
{
    const char *why = b->needs.platform ? e->p->lacks(b->needs.platform) : NULL;

    for (unsigned i = 0; !why && b->needs.features[i] != FEATURE_NONE; i++)
        why = feature_lacks(b->needs.features[i], e->p->cpuid, NULL);
    if (!why && b->needs.device != PLATFORM_NO_DEVICE)
        (void)engine_device(e, b, &why);
    return why || !b->needs.lacks ? why : b->needs.lacks(e->p->cpu);
}

/* Begins the row's windows (platform.h). */
static inline void engine_row_begin(const struct engine *e, const struct bench *b, uint64_t ran)
{
    e->p->row.begin(e->p, b->suite, b->name, ran);
    if (e->p->row.touches)
        e->p->row.touches(b->needs.touches);
}

/* Adds the core's events during the row. Called after row.end(). */
static inline void engine_keep(const struct engine *e, uint64_t *kept)
{
    if (e->p->row.keep)
        e->p->row.keep(e->p, e->facts.core, kept);
}

/* Return the number of SMIs on this core so far, 0 if not counted; and of all events that spoil a
 * block of windows. */
static inline uint64_t engine_smis(const struct engine *e)
{
    return e->p->events.smis ? e->p->events.smis() : 0;
}

static inline uint64_t engine_spoils(const struct engine *e)
{
    return e->p->events.nmis() + engine_smis(e) +
           (e->p->events.own_nmis ? e->p->events.own_nmis() : 0);
}

#define DITHER_GOLDEN                                                                              \
    0x9e3779b97f4a7c15ull /* 2^64 / phi: frac(i * 0.618...) as a 64-bit fraction */

/* Returns the delay of a kind's i-th window before its first reading, in core cycles: below one
 * step, spread evenly (docs/window.md "The step"). */
static inline uint64_t dither(const struct engine *e, uint64_t i)
{
    return (i * DITHER_GOLDEN >> 32) * e->step_cycles >> 32;
}

#endif
