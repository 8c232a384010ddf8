/*
 * The measuring engine: one row in, its windows taken in blocks, its statistics out.
 */
#ifndef BENCH_MEASURE_ENGINE_H
#define BENCH_MEASURE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bench/api/bench.h"
#include "bench/api/platform.h"
#include "bench/api/timer.h"
#include "bench/measure/cycle.h"
#include "bench/measure/headline.h"
#include "bench/measure/method.h"
#include "bench/window/window.h"
#include "lib/stats/behave.h"
#include "lib/stats/stats.h"

#define ENGINE_BLOCK 16 /* windows of one kind in a row; docs/method.md: 16 to 32 */

struct gate;
struct sampler;
struct placed;

/* What a row came to on one core; NaN: not known. */
struct core_figure {
    double ticks;        /* an operation */
    double cycles, half; /* core cycles or instructions, +- */
};

/* What every row shares; filled by engine_init and bench/measure/probe.c. */
struct engine {
    const struct platform *p;
    const struct options *o;
    unsigned core;      /* that it measures on; ... */
    unsigned cores;     /* ... one of so many */
    struct gate *gate;  /* NULL: it measures alone */
    enum recipe recipe; /* effective: what recipe= or this CPU's default gives */
    bool xfence_is_lfence;

    uint32_t samples; /* effective: windows of each kind that a row takes */

    enum execution execution;       /* silicon, counted instructions, or an emulator's noise */
    uint64_t ticks_per_instruction; /* where execution is counted instructions */
    double step;                    /* of the TSC, ticks */
    double ticks_per_cycle;         /* by the ruler; 0: not known */
    struct timer_choice clock;      /* what clock= came to */
    double tsc_hz;                  /* by that clock; 0: unknown, then no ns are given */
    struct cycle cycle;             /* what cycle= came to */
    uint64_t step_cycles;           /* one step in core cycles, by which windows are dithered */

    struct sampler *sampler; /* these share the platform's memory */
    struct placed *placed;
    uint64_t *memory;
    struct core_figure *figures; /* of each registered row so far (bench/cores/plan.c) */
};

enum row_status { ROW_OK, ROW_WRONG, ROW_UNSUPPORTED };

struct row {
    const struct bench *bench;
    unsigned core;
    enum recipe recipe;
    enum row_status status;
    const char *why; /* where not ok; a text of its own stands in said */
    char said[64];
    unsigned together;        /* so many cores measured it at once; 0: it was alone */
    struct core_figure alone; /* then the same row before, on this core alone */

    uint32_t errors;    /* operations that failed; their samples are omitted */
    uint32_t disturbed; /* windows, kept in ticks and in the histogram, left out of net */
    uint64_t smis;      /* while it was measured, where the platform counts them */
    uint64_t nmis;      /* and machine checks, since the row before; filled by bench/cores/plan.c */
    uint64_t windows;   /* of all kinds, warm-up included, ... */
    uint64_t sampling_ticks; /* ... and what all of it took */
    uint32_t warmup_blocks;  /* until the body was steady, or warmup= */
    bool steady;             /* two successive warm-up blocks differed by less than one step */
    struct summary ticks;    /* gross: one window of the body */
    bool has_net;
    struct summary empty; /* one window of what is subtracted */
    double net;           /* location(body) - location(empty), signed, ticks a window */

    unsigned placements;
    const double *theta; /* of each placement, cycles an operation; valid until the next row */
    struct headline headline;
    struct method_result
        method; /* where method= is not doubled: then ticks, net and headline are empty */
    double cycles_per_tick; /* while this row was measured; 0: not known */
    uint32_t unread;        /* blocks that the counter could not be read around */
    double truth;           /* documented core cycles an operation; 0: not known */

    const uint64_t *sorted; /* the body's ticks.n samples, ascending; valid until the next row */
};

/* Words of memory that an engine works in. */
size_t engine_need(const struct options *o);

/* The boot core's engine, in the first words of the platform's memory. */
void engine_init(struct engine *e, const struct platform *p, const struct options *o);

/* The same in `memory`, engine_need() words: for a core that measures at the same time. */
void engine_memory(struct engine *e, uint64_t *memory);

/* What executes this code, once that is known: samples=auto depends on it. */
void engine_found(struct engine *e, const struct behave_verdict *v);

/* clock= and cycle= come to a timer each, started on the core that measures; once it is found what
 * executes this code. */
void engine_timers(struct engine *e);
/* They are left as they were found. After the last row. */
void engine_release(struct engine *e);

/* SMIs on this core so far, 0 where nobody counts them; and all that spoils a block of windows. */
static inline uint64_t engine_smis(const struct engine *e)
{
    return e->p->smis ? e->p->smis() : 0;
}

static inline uint64_t engine_spoils(const struct engine *e)
{
    return e->p->nmis() + engine_smis(e);
}

/* Runs one row; the result is complete whatever its status. */
void engine_row(struct engine *e, const struct bench *b, struct row *row);

#endif
