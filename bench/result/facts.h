/*
 * The facts of a run on one core, which all rows on it share: plain data. The engine fills them
 * (bench/engine/engine.h, probe.h); the reporting code reads nothing else of the engine.
 */
#ifndef BENCH_RESULT_FACTS_H
#define BENCH_RESULT_FACTS_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/api/platform.h"
#include "bench/result/cycles.h"
#include "bench/result/row.h"
#include "lib/stats/linearity.h"
#include "lib/stats/mathx.h"
#include "lib/stats/clock_rate.h"

/* The results of the core's witness (bench/engine/witness.h). */
struct witness_facts {
    const char *why_not;     /* why the witness does not run; NULL: it does */
    double best;             /* core cycles per NOP, of its best readings; 0: none is steady */
    uint64_t blocks, shared; /* of all rows: judged blocks, and the shared ones of them */
    bool gave_up;            /* the probe used up its time for repeating shared blocks */
};

/* Returns the share of shared blocks; UNKNOWN: no block was judged. */
static inline double witness_share(const struct witness_facts *w)
{
    return w->blocks ? (double)w->shared / (double)w->blocks : UNKNOWN;
}

/* Whether it found the width of the core. */
static inline bool witness_knows_width(const struct witness_facts *w)
{
    return !w->why_not && w->best > 0;
}

/* Timer interrupts in windows (bench/engine/cycle.h). */
struct compensate {
    const char
        *why_not; /* why it does not run although it was asked for; NULL: it runs, or is off */
    struct tick_cost cost;
};

/* The state of single-stepping on this core (bench/engine/stepped.h). */
struct stepping_state {
    bool tried;
    char why_not[96]; /* empty: it works */
    double ticks;     /* of one step */
    bool no_counter;  /* the counter of retired instructions did not start */
    /* Rows whose stepped windows were compared with counted instructions; rows that differed. */
    unsigned compared, unlike;
    char first[320]; /* a message about the first row that differed */
};

struct run_facts {
    const char *platform; /* its name */
    const struct cpu *cpu;
    const struct options *o;
    bool counts_smis;                 /* the platform counts SMIs */
    const struct platform_kept *kept; /* interprets a row's kept words */
    unsigned core;                    /* the core of these facts */
    unsigned cores;                   /* number of cores that measure */
    enum recipe recipe;       /* effective: from recipe=, the method or this CPU's default */
    enum recipe probed;       /* for probing and judging the machine: the same without the method */
    uint32_t samples;         /* effective: windows of each kind that a row takes */
    uint32_t ensembles, size; /* effective, with method=ensembles */
    unsigned placements;      /* of a row */
    unsigned rounds;          /* passes over the list of rows */

    enum execution execution;       /* silicon, counted instructions, or an emulator's noise */
    uint64_t ticks_per_instruction; /* if instructions are counted */
    double step;                    /* of the TSC, ticks */
    double ticks_per_cycle;         /* by the ruler; 0: not known */
    struct timer_choice clock;      /* the choice of clock= */
    double tsc_hz;                  /* by that clock; 0: not known, no ns are reported */
    struct cycle cycle;             /* the choice of cycle= */
    struct compensate compensate;   /* the result of compensate= */
    struct witness_facts witness;   /* whether the core is exclusive */
    struct stepping_state stepping; /* whether its instructions can be counted */
};

/* Returns the counter that is read next to the ruler; NULL: no ruler. */
static inline const struct timer_choice *run_counter(const struct run_facts *run)
{
    return run->cycle.by == CYCLES_RULER ? &run->cycle.counter : NULL;
}

static inline bool run_has_hz(const struct run_facts *run)
{
    return run->tsc_hz > 0;
}

/* Returns the TSC's frequency to limit a time: 1 GHz if it is not known. */
static inline double run_limit_hz(const struct run_facts *run)
{
    return run_has_hz(run) ? run->tsc_hz : 1e9;
}

static inline bool run_has_ruler(const struct run_facts *run)
{
    return run->ticks_per_cycle > 0;
}

/* Returns whether figures of this run can be core cycles, or instructions if these are counted. */
static inline bool run_has_cycles(const struct run_facts *run)
{
    return run->execution == EXEC_INSTRUCTIONS ||
           (run->execution == EXEC_SILICON && run->cycle.by != CYCLES_UNKNOWN);
}

/* Returns whether the row's data is flushed before each window: the row declares it, or
 * caches=clear. The body is then not doubled, because its second half would find warm data. */
static inline bool run_is_cold(const struct run_facts *run, const struct bench *b)
{
    return b->window.cold || run->o->caches == CACHES_CLEAR;
}

/* Returns the instructions of one operation without those of the empty body, as counted in the
 * row's windows or in the stepped ones. UNKNOWN: not counted. */
static inline double run_instructions(const struct run_facts *run, const struct row *row)
{
    if (run->execution != EXEC_INSTRUCTIONS)
        return stepped_known(&row->stepped) ? row->stepped.instructions : UNKNOWN;
    return row->figure.known ? row->figure.ticks / (double)run->ticks_per_instruction : UNKNOWN;
}

/* Returns the operations of a timed call. */
static inline double run_call_ops(const struct run_facts *run, const struct row *row)
{
    bool adaptive = run->o->method == METHOD_ADAPTIVE && row->method.operations;

    return adaptive ? (double)row->method.operations : row->out.bench->ops;
}

/* Returns the instructions in the time that the figure of an operation is: with its part of what a
 * call executes once, where that is timed too. UNKNOWN: not counted, or the timed windows had other
 * work than the counted ones. */
static inline double run_instructions_timed(const struct run_facts *run, const struct row *row)
{
    double call = row->figure.doubled ? UNKNOWN : stepped_call(&row->stepped);
    double all = run_instructions(run, row);

    if (stepped_differs(&row->stepped))
        return UNKNOWN;
    return is_known(call) ? all + call / run_call_ops(run, row) : all;
}

#endif
