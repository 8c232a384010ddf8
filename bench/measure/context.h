/*
 * What every row of a run shares on one core: the machine, the options, what the probe found, and
 * the memory that is worked in. All of bench/measure/ works on it; engine.h and probe.h fill it.
 */
#ifndef BENCH_MEASURE_CONTEXT_H
#define BENCH_MEASURE_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/api/platform.h"
#include "bench/api/timer.h"
#include "bench/measure/result.h"
#include "lib/stats/behave.h"
#include "lib/stats/known.h"
#include "lib/stats/tick.h"
#include "lib/stats/witness.h"

#define ENGINE_BLOCK 16 /* windows of one kind in a row; docs/method.md: 16 to 32 */

struct compiled;
struct gate;
struct gathered;
struct pace;
struct sampler;
struct placed;

/* Where core cycles come from (bench/measure/cycle.h). */
enum cycles_by { CYCLES_UNKNOWN, CYCLES_RULER, CYCLES_COUNTER };

struct cycle {
    struct timer_choice source; /* what cycle= came to */
    enum cycles_by by;
    /* The counter read around blocks: the source; by the ruler, the first counter after it in
     * cycle= that starts. */
    struct timer_choice counter;
    /* What a stretch with nothing in it counts, in core cycles and in ticks: a part of the two
     * readings of the counter. */
    double empty, empty_ticks;
};

/* The core's witness (bench/measure/own.h). */
struct own {
    const char *why_not; /* it does not run; NULL: it does */
    struct witness_plan plan;
    struct witness witness;
    double last;                  /* reading */
    uint64_t read_at, read_ticks; /* TSC at its end, and what it took */
    uint64_t blocks, shared;      /* of all rows, that were judged */
    uint64_t search_left;         /* TSC ticks in which the probe may take shared blocks again */
    bool gave_up;                 /* they were not enough */
};

/* Timer interrupts in windows (bench/measure/compensate.h). */
struct compensate {
    const char
        *why_not; /* it was asked for and does not run; NULL: it runs, or was not asked for */
    struct tick_cost cost;
};

/* Whether single-stepping works on this core (bench/measure/steps.h). */
struct stepping {
    bool tried;
    char why_not[96]; /* empty: it works */
    double ticks;     /* of one step */
    bool no_counter;  /* of retired instructions: it did not start */
    /* Rows whose stepped windows were compared with counted instructions, and were unlike them. */
    unsigned compared, unlike;
    char first[320]; /* of the latter */
};

struct engine {
    const struct platform *p;
    const struct options *o;
    unsigned core;      /* that it measures on; ... */
    unsigned cores;     /* ... one of so many */
    struct gate *gate;  /* NULL: it measures alone */
    struct pace *pace;  /* what is looked at between blocks; NULL: nothing is */
    enum recipe recipe; /* effective: what recipe=, the method or this CPU's default gives */
    enum recipe probed; /* by what the machine is probed and judged: the same, less the method */
    bool xfence_is_lfence;

    uint32_t samples; /* effective: windows of each kind that a row takes, ... */
    unsigned rounds;  /* ... in so many rounds over the list of rows */

    enum execution execution;       /* silicon, counted instructions, or an emulator's noise */
    uint64_t ticks_per_instruction; /* where execution is counted instructions */
    double step;                    /* of the TSC, ticks */
    uint64_t step_cycles;           /* the same in core cycles, by which windows are dithered */
    double ticks_per_cycle;         /* by the ruler; 0: not known */
    double hides;                   /* core cycles of any body, by `recipe`, at the most */
    struct timer_choice clock;      /* what clock= came to */
    double tsc_hz;                  /* by that clock; 0: not known, then no ns are given */
    struct cycle cycle;             /* what cycle= came to */
    struct compensate compensate;   /* what compensate= came to */
    struct own own;                 /* whether the core is ours alone */
    struct stepping stepping;       /* whether its instructions can be counted */

    struct sampler *sampler; /* these share the platform's memory */
    struct placed *placed;
    struct compiled *compiled;
    struct gathered *gathered; /* room for a row that is done in one round */
    uint64_t *memory;
    struct core_figure *figures; /* of each registered row so far (bench/cores/plan_rows.h) */
};

static inline bool engine_has_hz(const struct engine *e)
{
    return e->tsc_hz > 0;
}

static inline bool engine_has_ruler(const struct engine *e)
{
    return e->ticks_per_cycle > 0;
}

/* Why a row with these needs cannot run here; NULL: it can. */
static inline const char *engine_lacks(const struct engine *e, uint32_t needs)
{
    if (needs & NEED_BMI2 && !e->p->cpu->bmi2)
        return "needs BMI2 (CPUID leaf 7 EBX[8]), which this CPU does not have";
    return needs & ~(uint32_t)NEED_BMI2 ? e->p->lacks(needs) : NULL;
}

/* Instructions of one operation, what is subtracted taken off: as they were counted in the row's
 * windows, or in those that were stepped. UNKNOWN: in neither. */
static inline double engine_instructions(const struct engine *e, const struct row *row)
{
    if (e->execution != EXEC_INSTRUCTIONS)
        return stepped_known(&row->stepped) ? row->stepped.instructions : UNKNOWN;
    return row->headline.known ? row->headline.ticks / (double)e->ticks_per_instruction : UNKNOWN;
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
