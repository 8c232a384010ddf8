/*
 * What every row of a run shares on one core: the machine, the options, what the probe found, and
 * the memory that is worked in. All that measures works on it; engine.h and probe.h fill it.
 */
#ifndef BENCH_CONTEXT_CONTEXT_H
#define BENCH_CONTEXT_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/api/platform.h"
#include "bench/model/facts.h"
#include "bench/model/row.h"
#include "lib/stats/witness.h"

#define ENGINE_BLOCK 16 /* windows of one kind in a row; docs/method.md: 16 to 32 */

struct compiled;
struct gate;
struct gathered;
struct pace;
struct sampler;
struct placed;

/* The core's witness (bench/sample/own.h). */
struct own {
    struct witness_plan plan;
    struct witness witness;
    double last;                  /* reading */
    uint64_t read_at, read_ticks; /* TSC at its end, and what it took */
    uint64_t search_left;         /* TSC ticks in which the probe may take shared blocks again */
};

struct engine {
    const struct platform *p;
    struct run_facts facts;
    struct gate *gate; /* NULL: it measures alone */
    struct pace *pace; /* what is looked at between blocks; NULL: nothing is */
    bool xfence_is_lfence;
    uint64_t step_cycles; /* the TSC's step in core cycles, by which windows are dithered */
    double hides;         /* core cycles of any body, by the recipe in use, at the most */
    struct own own;       /* the core's witness */

    struct sampler *sampler; /* these share the platform's memory */
    struct placed *placed;
    struct compiled *compiled;
    struct gathered *gathered; /* room for a row that is done in one round */
    uint64_t *memory;
    struct core_figure *figures; /* of each registered row so far (bench/cores/plan_rows.h) */
};

/* Why a row with these needs cannot run here; NULL: it can. */
static inline const char *engine_lacks(const struct engine *e, uint32_t needs)
{
    if (needs & NEED_BMI2 && !e->p->cpu->bmi2)
        return "needs BMI2 (CPUID leaf 7 EBX[8]), which this CPU does not have";
    return needs & ~(uint32_t)NEED_BMI2 ? e->p->lacks(needs) : NULL;
}

/* After row_end(): adds what happened to the core meanwhile. */
static inline void engine_keep(const struct engine *e, uint64_t *kept)
{
    if (e->p->row_keep)
        e->p->row_keep(e->p, e->facts.core, kept);
}

/* SMIs on this core so far, 0 where nothing counts them; and all that spoils a block of windows. */
static inline uint64_t engine_smis(const struct engine *e)
{
    return e->p->smis ? e->p->smis() : 0;
}

static inline uint64_t engine_spoils(const struct engine *e)
{
    return e->p->nmis() + engine_smis(e) + (e->p->own_nmis ? e->p->own_nmis() : 0);
}

#endif
