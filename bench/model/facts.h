/*
 * The facts of a run on one core, which every row there shares: plain data. The engine fills them
 * (bench/measure/engine.h, probe.h); what reports a run reads nothing else of the engine.
 */
#ifndef BENCH_MODEL_FACTS_H
#define BENCH_MODEL_FACTS_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/api/platform.h"
#include "bench/model/cycles.h"
#include "bench/model/row.h"
#include "lib/stats/behave.h"
#include "lib/stats/known.h"
#include "lib/stats/tick.h"

/* Whether the core is ours alone, by its witness (bench/sample/own.h). */
struct own_facts {
    const char *why_not;     /* the witness does not run; NULL: it does */
    double best;             /* core cycles a NOP, of its best readings; 0: none is steady */
    uint64_t blocks, shared; /* of all rows, that were judged */
    bool gave_up;            /* the probe's search for time in which nobody shares it */
};

/* The share of its blocks that others had part in; UNKNOWN: none was judged. */
static inline double own_share(const struct own_facts *own)
{
    return own->blocks ? (double)own->shared / (double)own->blocks : UNKNOWN;
}

/* Timer interrupts in windows (bench/figure/compensate.h). */
struct compensate {
    const char
        *why_not; /* it was asked for and does not run; NULL: it runs, or was not asked for */
    struct tick_cost cost;
};

/* Whether single-stepping works on this core (bench/check/steps.h). */
struct stepping {
    bool tried;
    char why_not[96]; /* empty: it works */
    double ticks;     /* of one step */
    bool no_counter;  /* of retired instructions: it did not start */
    /* Rows whose stepped windows were compared with counted instructions, and were unlike them. */
    unsigned compared, unlike;
    char first[320]; /* of the latter */
};

struct run_facts {
    const char *platform; /* its name */
    const struct cpu *cpu;
    const struct options *o;
    bool counts_smis;                 /* the platform does */
    const struct platform_kept *kept; /* what it says of a row's kept words */
    unsigned core;                    /* that is measured on */
    unsigned cores;                   /* how many measure */
    enum recipe recipe;  /* effective: what recipe=, the method or this CPU's default gives */
    enum recipe probed;  /* by what the machine is probed and judged: the same, less the method */
    uint32_t samples;    /* effective: windows of each kind that a row takes */
    unsigned placements; /* that a row gets */
    unsigned rounds;     /* passes over the list of rows */

    enum execution execution;       /* silicon, counted instructions, or an emulator's noise */
    uint64_t ticks_per_instruction; /* where execution is counted instructions */
    double step;                    /* of the TSC, ticks */
    double ticks_per_cycle;         /* by the ruler; 0: not known */
    struct timer_choice clock;      /* what clock= came to */
    double tsc_hz;                  /* by that clock; 0: not known, then no ns are given */
    struct cycle cycle;             /* what cycle= came to */
    struct compensate compensate;   /* what compensate= came to */
    struct own_facts own;           /* whether the core is ours alone */
    struct stepping stepping;       /* whether its instructions can be counted */
};

static inline bool run_has_hz(const struct run_facts *run)
{
    return run->tsc_hz > 0;
}

static inline bool run_has_ruler(const struct run_facts *run)
{
    return run->ticks_per_cycle > 0;
}

/* Whether figures of this run can be core cycles; where instructions are counted, those. */
static inline bool run_has_cycles(const struct run_facts *run)
{
    return run->execution == EXEC_INSTRUCTIONS ||
           (run->execution == EXEC_SILICON && run->cycle.by != CYCLES_UNKNOWN);
}

/* Whether the row's data is to leave the caches before each window: so declared, or caches=clear.
 * Then there is no twice the body, whose second half would find the data warm. */
static inline bool run_is_cold(const struct run_facts *run, const struct bench *b)
{
    return b->cold || run->o->caches == CACHES_CLEAR;
}

/* Instructions of one operation, what is subtracted taken off: as they were counted in the row's
 * windows, or in those that were stepped. UNKNOWN: in neither. */
static inline double run_instructions(const struct run_facts *run, const struct row *row)
{
    if (run->execution != EXEC_INSTRUCTIONS)
        return stepped_known(&row->stepped) ? row->stepped.instructions : UNKNOWN;
    return row->headline.known ? row->headline.ticks / (double)run->ticks_per_instruction : UNKNOWN;
}

#endif
