/*
 * The result of a row on one core: plain data, which measuring fills and bench/show/ reads.
 * The headers of headline, method and engine say how it is measured.
 */
#ifndef BENCH_MODEL_ROW_H
#define BENCH_MODEL_ROW_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/api/bench.h"
#include "bench/api/platform.h"
#include "lib/config/options.h"
#include "lib/stats/adaptive.h"
#include "lib/stats/ensemble.h"
#include "lib/stats/estimate.h"
#include "lib/stats/histogram.h"
#include "lib/stats/kbest.h"
#include "lib/stats/modes.h"
#include "lib/stats/moments.h"
#include "lib/stats/stats.h"

/* A row on one core, in short: what cores and rows are compared by. UNKNOWN: no figure. */
#define CORE_FIGURE_PLACEMENTS 16 /* as many as a row has, but for layout=sweep */
struct core_figure {
    double ticks;          /* an operation */
    double cycles, lo, hi; /* core cycles or instructions, and their interval */
    bool shared;           /* somebody else had part of the core: not judged */
    bool wrong;            /* the row failed */
    unsigned placements;   /* whose figures these are; 0: there are none, or too many */
    unsigned rounds;       /* in which these were taken; 1: each in one go, or in several of them */
    double theta[CORE_FIGURE_PLACEMENTS]; /* UNKNOWN: a placement has none */
};

/* Whether two of one row differ by more than both their intervals. */
static inline bool core_figures_apart(const struct core_figure *a, const struct core_figure *b)
{
    return a->lo > b->hi || a->hi < b->lo;
}

/* --- the figure: by method=doubled (bench/figure/headline.h), or by another (method.h) ------- */

/* By one source of cycles. */
struct figure {
    bool known;             /* else all of it is UNKNOWN */
    double ticks;           /* an operation */
    struct estimate cycles; /* an operation: core cycles, or instructions */
    double se;              /* of one placement, the mean over them */
};

struct headline {
    bool known;                   /* there are windows to take it from */
    bool doubled;                 /* from twice the body; else from the body and the empty window */
    double ticks;                 /* an operation */
    struct figure ruler, counter; /* the counter's where one was read around the blocks */
    struct estimate cycles;       /* an operation, by the source asked for; so is what follows */
    double se;
    struct modes modes; /* in cycles; count 0 where those are not known */
};

/* --- all other methods (bench/method/method.h) ----------------------------------------------- */

/* What a method made of one kind of window. */
struct method_side {
    struct moments all;  /* plain: mean and standard deviation (n-1) */
    struct moments calm; /* of those that were not disturbed: what a ruler is worth */
    uint64_t least, greatest;
    uint64_t interrupts;    /* of the timer, that compensate= took off */
    uint64_t least_as_read; /* the least window with its interrupts in it */
    struct kbest kbest;
    struct ensemble_result ensemble;
    struct moments rate; /* core cycles a tick by the counter read around its blocks */
};

/* adaptive: what the last stretches took, those of the empty loop taken off. */
struct method_total {
    bool valid;          /* read in two pairs of stretches at least */
    double value, error; /* +-, 99% */
};

struct method_result {
    enum method method;
    /* One operation, what is subtracted taken off; UNKNOWN: there is nothing to subtract, or no
     * figure. `error`: +- so much, by what the method itself saw (method.h). */
    double ticks, error;
    double lattice;    /* kbest, ensembles: +- ticks per operation: the TSC's step */
    const char *doubt; /* the difference is none to rely on: why; NULL: it is */
    struct method_side body, empty, ruler, ruler2; /* adaptive: the rulers alone */
    struct lag1 difference; /* body less empty, blocks taken at nearly the same time: ticks */

    uint64_t operations; /* adaptive: of the last stretch */
    enum adaptive_state state;
    struct method_total seconds, in_ticks, by_counter; /* by clock=; by the TSC; core cycles */
    uint64_t clock_again, clock_failed; /* its readings that were repeated, and given up */
};

/* --- instructions, by single-stepping (bench/check/steps.h) --------------------------------- */

/* Instructions of one window, between its way in and its way out (bench/window/window.h). */
struct step_window {
    uint64_t instructions;
    uint64_t iterations; /* of repeated string instructions */
    uint64_t repeats;    /* steps after which one of these was not over */
    uint64_t repeated;   /* how many of these there were */
};

/* With `ops` operations and twice that. Where `doubled` an operation is
 * ((body2 - body) - (empty2 - empty)) / ops, else (body - empty) / ops. */
struct stepped {
    bool tried;        /* false: nothing is told of it */
    char why_not[128]; /* it is not counted: why; empty: it is */
    uint64_t ops;
    bool doubled;
    struct step_window body, body2, empty, empty2; /* the second ones only where doubled */
    double instructions, iterations;               /* an operation; UNKNOWN: not counted */
    uint64_t traps, ticks;                         /* of all windows that were stepped */
    uint64_t lost;                                 /* traps that did not come: lib/cpu/steps.h */
    /* Where the TSC or a counter counts instructions the same windows were also run unstepped. */
    bool compared;
    char unlike[128]; /* how the two counts differ; empty: they agree */
    /* Instructions of an operation by the core's counter of them; UNKNOWN: not available. */
    double by_counter;
};

/* Whether the row's instructions were counted. */
static inline bool stepped_known(const struct stepped *s)
{
    return s->tried && !s->why_not[0];
}

/* An operation's share of what was counted in the four windows, of whatever kind. */
static inline double stepped_per_op(const struct stepped *s, uint64_t body, uint64_t body2,
                                    uint64_t empty, uint64_t empty2)
{
    int64_t once = (int64_t)(body - empty), twice = (int64_t)(body2 - empty2);

    return (double)(s->doubled ? twice - once : once) / (double)s->ops;
}

/* What the operations of the difference executed, exactly: instructions of s->ops operations. Only
 * where stepped_known(). */
static inline int64_t stepped_net(const struct stepped *s)
{
    int64_t once = (int64_t)(s->body.instructions - s->empty.instructions);
    int64_t twice = (int64_t)(s->body2.instructions - s->empty2.instructions);

    return s->doubled ? twice - once : once;
}

/* Whether it is known that its operations were executed (bench/check/check.h). */
enum work { WORK_NOTHING_TO_JUDGE, WORK_JUDGED, WORK_NOT_JUDGED };

/* What the loop around an operation hides of it (bench/figure/loop_cost.h): nothing; perhaps some;
 * some, since its instructions take longer; all, since nothing is left. */
enum hidden { HIDDEN_NOT, HIDDEN_MAYBE, HIDDEN_PART, HIDDEN_ALL };

/* Core cycles an operation; UNKNOWN: it has no loop, or this method does not tell. */
struct row_loop {
    double cycles; /* a turn of the empty loop, ... */
    double gross;  /* ... and one with the operation: nothing is subtracted; UNKNOWN also where
                      that is not above zero */
    enum hidden hides;
};

/* --- a row on one core ------------------------------------------------------------------------ */

enum row_status { ROW_OK, ROW_WRONG, ROW_UNSUPPORTED };

struct row {
    const struct bench *bench;
    unsigned core;
    enum recipe recipe;
    enum row_status status;
    const char *why; /* where not ok; a text of its own stands in said */
    bool ended;      /* its windows were left in the middle: there are no figures */
    char said[256];
    unsigned together;        /* cores that measured it at once; 0: one at a time */
    struct core_figure alone; /* then the same row before, on this core alone */

    uint32_t changed;        /* 1 << each enum window_kept that its windows changed (window.h) */
    bool wide;               /* its code uses wide vectors, and was warmed up for them (wide.h) */
    bool x87_stack_fault;    /* its windows overflowed or underflowed the x87 stack */
    uint32_t errors;         /* operations that failed; their samples are omitted */
    uint32_t errors_outside; /* failed in windows that are no samples: warm-up, twice the body */
    uint32_t errors_subtracted; /* calls of what is subtracted that returned an error */
    uint32_t disturbed;         /* windows, kept in ticks and in the histogram, left out of net */
    uint64_t smis;              /* while it was measured, where the platform counts them */
    uint64_t nmis; /* and machine checks, since the row before; bench/cores/ fills it */
    uint64_t
        kept[PLATFORM_KEPT]; /* what happened to the core meanwhile, as the platform keeps it */
    uint64_t blocks;         /* of all kinds, those that were taken again included, ... */
    uint64_t shared_blocks;  /* ... and those while somebody else had part of the core */
    bool shared;             /* enough of them that the figure is not judged */
    uint64_t windows;        /* of all kinds, warm-up included, ... */
    uint64_t sampling_ticks; /* ... and what all of it took */
    uint32_t warmup_blocks;  /* until the body was steady, or warmup= */
    bool steady;             /* warm-up ended by its test, not by warmup= */
    struct summary ticks;    /* gross: one window of the body */
    bool has_net;
    struct summary empty; /* one window of what is subtracted */
    double net;           /* location(body) - location(empty), signed, ticks a window */

    unsigned placements;
    unsigned rounds; /* that it has been through whole */
    /* Of each placement and each round, cycles an operation; valid until the next row. */
    const double *theta, *round_theta;
    struct headline headline;
    struct method_result method; /* where it is not doubled, ticks and net are empty */
    double cycles_per_tick;      /* while this row was measured; 0: not known */
    uint32_t unread;             /* blocks that the counter could not be read around */
    double truth;                /* documented core cycles an operation; 0: not known */
    bool truth_vague;            /* its interval cannot tell one whole latency from the next */
    struct stepped stepped;      /* its instructions */
    enum work work;
    struct row_loop loop;

    const struct histogram *hist; /* of the body's ticks.n samples; valid until the next row */
    uint64_t empty_bin;           /* the width of the bins that `empty` is from; 1: it is exact */
};

/* An eighth of its blocks have no reading of the counter. Fewer are no trouble: another program had
 * the core meanwhile, and the counter's figure is that of the other blocks. */
static inline bool row_counter_failed(const struct row *row)
{
    return row->unread && row->unread * 8ull >= row->blocks;
}

/* The row is wrong, or cannot be here; the first reason counts. why NULL: all is well. */
static inline void row_fail(struct row *row, enum row_status status, const char *why)
{
    if (row->why || !why)
        return;
    row->status = status;
    row->why = why;
}

#endif
