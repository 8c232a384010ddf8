/*
 * The result of a row on one core: plain data, which the measuring code fills and bench/output/
 * reads. The headers of row_figure, method and engine describe how it is measured.
 */
#ifndef BENCH_RESULT_ROW_H
#define BENCH_RESULT_ROW_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/api/bench.h"
#include "bench/api/platform.h"
#include "bench/result/outcome.h"
#include "lib/config/options.h"
#include "lib/stats/literature.h"
#include "lib/stats/estimate.h"
#include "lib/stats/histogram.h"
#include "lib/stats/modes.h"
#include "lib/stats/mathx.h"
#include "lib/stats/stats.h"

/* A summary of a row on one core, for comparing cores and rows. UNKNOWN: no figure. */
#define CORE_FIGURE_PLACEMENTS 16 /* the number of a row, except with layout=sweep */
struct core_figure {
    double ticks;          /* per operation */
    double cycles, lo, hi; /* core cycles or instructions, and their interval */
    bool shared;           /* a neighbour used the core: not judged */
    bool wrong;            /* the row failed */
    unsigned placements;   /* number of placements in theta; 0: no figures, or too many */
    unsigned rounds;       /* of these; 1: one round, or each placement in several rounds */
    double theta[CORE_FIGURE_PLACEMENTS]; /* UNKNOWN: the placement has no figure */
};

/* Returns whether two figures of one row differ by more than both their intervals. */
static inline bool core_figures_apart(const struct core_figure *a, const struct core_figure *b)
{
    return a->lo > b->hi || a->hi < b->lo;
}

/* --- the figure: by method=doubled (bench/engine/row_figure.h), or by another (method.h) ---- */

/* The figure by one source of core cycles. */
struct figure {
    bool known;             /* false: all of it is UNKNOWN */
    double ticks;           /* per operation */
    struct estimate cycles; /* per operation: core cycles, or instructions */
    double se;              /* standard error of one placement, the mean over all */
};

/* Twice the body as two halves, in ticks per window. They differ if a half costs surely more than
 * this part of the dearer one less (bench/engine/row_figure.h). */
#define ROW_HALVES_PART 0.25
struct row_halves {
    bool judged, differ; /* surely */
    double first, second;
};

/* Whether a core can execute an operation's instructions in its time (bench/engine/row_figure.h):
 * yes, or it is not known; only if some are executed as one; no. */
enum pace { PACE_POSSIBLE, PACE_FUSED, PACE_IMPOSSIBLE };

struct row_figure {
    bool known;                   /* there are windows for it */
    bool doubled;                 /* from twice the body; else from the body and the empty window */
    double ticks;                 /* per operation */
    struct figure ruler, counter; /* `counter` is known if one was read around the blocks */
    struct estimate cycles;       /* per operation; this and the rest by the source of cycle= */
    double se;
    struct modes modes; /* in core cycles; count 0 if these are not known */
    struct row_halves halves;
    enum pace pace;
};

/* --- all other methods (bench/engine/method.h) ----------------------------------------------- */

/* A method's result for one kind of window. */
struct method_side {
    struct moments all;  /* plain: mean and standard deviation (n-1) */
    struct moments calm; /* of the undisturbed windows: gives a ruler's length */
    uint64_t least, greatest;
    uint64_t interrupts;    /* timer interrupts that compensate= removed */
    uint64_t least_as_read; /* the least window including its interrupts */
    struct kbest kbest;
    struct ensemble_result ensemble;
    struct moments rate; /* core cycles per tick by the counter read around its blocks */
};

/* adaptive: the duration of the last intervals minus those of the empty loop. */
struct method_total {
    bool valid;          /* read in at least two pairs of intervals */
    double value, error; /* +-, 99% */
};

struct method_result {
    enum method method;
    /* One operation without the empty body; UNKNOWN: nothing to subtract, or no figure. `error`:
     * +-, by the method's own observation (method.h). */
    double ticks, error;
    const char
        *no_interval;  /* why the row's figure in core cycles has no interval; NULL: it has one */
    double step;       /* kbest, ensembles: +- ticks per operation: the TSC's step */
    const char *doubt; /* why the difference is not reliable; NULL: it is */
    struct method_side body, empty, ruler, ruler2; /* adaptive: only the rulers */
    struct lag1 difference; /* body minus empty, blocks taken at nearly the same time: ticks */

    uint64_t operations; /* adaptive: of the last interval */
    enum adaptive_state state;
    struct method_total seconds, in_ticks, by_counter; /* by clock=; by the TSC; core cycles */
    uint64_t clock_again, clock_failed; /* its readings that were repeated, and given up */
};

/* --- instructions, by single-stepping (bench/engine/stepped.h) -------------------------------- */

/* Instructions of one window, between its entry and its exit (bench/engine/window.h). */
struct step_window {
    uint64_t instructions;
    uint64_t iterations; /* of repeated string instructions */
    uint64_t repeats;    /* steps that did not complete such an instruction */
    uint64_t repeated;   /* number of such instructions */
};

/* With `ops` operations and twice that. If `doubled` an operation is
 * ((body2 - body) - (empty2 - empty)) / ops, else (body - empty) / ops. */
struct stepped {
    bool tried;        /* false: not reported */
    char why_not[128]; /* why it is not counted; empty: it is */
    uint64_t ops;
    bool doubled;
    bool short_enough; /* they are as long as the timed ones, with few enough steps for `left` */
    struct step_window body, body2, empty, empty2; /* body2 and empty2 only if doubled */
    double instructions, iterations;               /* per operation; UNKNOWN: not counted */
    uint64_t traps, ticks;                         /* of all stepped windows */
    uint64_t lost;                                 /* missing traps: lib/cpu/stepping.h */
    /* The same windows were also run without stepping, because the TSC or a counter counts
     * instructions. */
    bool compared;
    char unlike[128]; /* how the two counts differ; empty: they agree */
    /* Instructions per operation by the core's counter of them; UNKNOWN: not available. */
    double by_counter;
    /* Windows as long as the timed ones, in the state that these left. */
    struct {
        uint64_t ops;      /* of all of them together; 0: none was stepped */
        unsigned calls;    /* their number; the second has twice as many as the first */
        double work;       /* steps per operation, with what a call executes once */
        char why_not[128]; /* why there is no `work`; empty: there is */
    } left;
};

/* Returns whether the row's instructions were counted. */
static inline bool stepped_known(const struct stepped *s)
{
    return s->tried && !s->why_not[0];
}

/* Returns the count per operation from the counts of the four windows. */
static inline double stepped_per_op(const struct stepped *s, uint64_t body, uint64_t body2,
                                    uint64_t empty, uint64_t empty2)
{
    int64_t once = (int64_t)(body - empty), twice = (int64_t)(body2 - empty2);

    return (double)(s->doubled ? twice - once : once) / (double)s->ops;
}

/* Returns the instructions that a call executes besides its operations; UNKNOWN: not counted. */
static inline double stepped_call(const struct stepped *s)
{
    double once = (double)(int64_t)(s->body.instructions - s->empty.instructions);

    return stepped_known(s) && s->doubled ? once - s->instructions * (double)s->ops : UNKNOWN;
}

/* Returns what `left.work` is with fresh data. */
static inline double stepped_fresh(const struct stepped *s)
{
    const struct step_window *w[] = {&s->body, &s->body2, &s->empty, &s->empty2};
    uint64_t steps[4];

    for (unsigned i = 0; i < 4; i++)
        steps[i] = w[i]->instructions + w[i]->repeats;
    double op = stepped_per_op(s, steps[0], steps[1], steps[2], steps[3]);
    double call = (double)(int64_t)(steps[0] - steps[2]) - op * (double)s->ops;
    return op + call * s->left.calls / (double)s->left.ops;
}

/* Returns whether an operation of the timed windows has other work than one with fresh data: also
 * if only with fresh data windows of this length are short enough to be counted. */
static inline bool stepped_differs(const struct stepped *s)
{
    if (!stepped_known(s) || s->left.ops == 0)
        return false;
    if (s->left.why_not[0])
        return s->short_enough;
    double fresh = stepped_fresh(s), more = s->left.work - fresh;
    return (more > 0 ? more : -more) > fresh / 100;
}

/* The judgement whether the row's operations were executed (bench/engine/guard.h). */
enum work { WORK_NOTHING_TO_JUDGE, WORK_JUDGED, WORK_NOT_JUDGED };

/* The part of an operation's cost that its loop hides (bench/engine/row_figure.h): nothing; perhaps
 * a part; a part, because its instructions take longer; all, because nothing is left. */
enum hidden { HIDDEN_NOT, HIDDEN_MAYBE, HIDDEN_PART, HIDDEN_ALL };

/* Core cycles per operation; UNKNOWN: no loop, or not measured by this method. */
struct row_loop {
    double cycles; /* of an iteration of the empty loop, ... */
    double gross;  /* ... and of one with the operation, nothing subtracted; UNKNOWN also if that
                      is not above zero */
    enum hidden hides;
};

/* --- a row on one core ------------------------------------------------------------------------ */

/* The windows that were taken, and what went wrong in them. */
struct taken {
    uint64_t windows;        /* of all kinds, warm-up included, ... */
    uint64_t sampling_ticks; /* ... and the ticks for all of them */
    uint64_t blocks;         /* of all kinds, including repeated ones, ... */
    uint64_t shared_blocks;  /* ... and the shared ones of them */
    bool shared;             /* too many are shared: the figure is not judged */
    bool steady;             /* warm-up ended by its test, not by warmup= */
    bool wide;               /* its code uses wide vectors, and was warmed up for them (wide.h) */
    bool x87_stack_fault;    /* its windows overflowed or underflowed the x87 stack */
    uint32_t warmup_blocks;  /* number of them until the body was steady, or warmup= */
    uint32_t errors;         /* operations that failed; their samples are omitted */
    uint32_t errors_outside; /* failed in windows that are not samples: warm-up, twice the body */
    uint32_t errors_subtracted; /* calls of the empty body that returned an error */
    uint32_t disturbed;         /* windows, kept in ticks and in the histogram, left out of net */
    uint32_t unread;            /* blocks without a reading of the counter */
};

/* The ticks of single windows, before anything is subtracted but the empty window. */
struct gross {
    struct statistics ticks; /* one window of the body */
    bool has_net;
    struct statistics empty;      /* one window of the empty body */
    double net;                   /* location(body) - location(empty), signed, ticks per window */
    const struct histogram *hist; /* of the body's ticks.n samples; valid until the next row */
    uint64_t empty_bin;           /* the width of the bins of `empty`; 1: it is exact */
};

/* Core cycles per operation of each placement and each round; valid until the next row. */
struct spread {
    unsigned placements;
    unsigned rounds; /* complete rounds */
    const double *theta, *round_theta;
};

/* The comparison with the documented latency. */
struct truth {
    double cycles; /* documented core cycles per operation; 0: not known */
    bool vague;    /* its interval contains more than one whole latency */
    bool above;    /* slower than documented, maybe since others used the core */
};

/* share=together */
struct beside {
    unsigned together;        /* cores that measured it at once; 0: one at a time */
    struct core_figure alone; /* if together: the same row before, on this core alone */
};

struct row {
    struct outcome out;
    enum recipe recipe;
    struct taken taken;
    struct gross gross;
    struct spread spread;
    struct row_figure figure;
    struct method_result method; /* for methods other than doubled; `gross` is then empty */
    struct row_loop loop;
    enum work work;
    struct stepped stepped; /* its instructions */
    struct truth truth;
    struct beside beside;
    double cycles_per_tick; /* while this row was measured; 0: not known */
};

/* Returns whether at least an eighth of the blocks have no reading of the counter. Fewer are no
 * problem: another program had the core, and the counter's figure is that of the other blocks. */
static inline bool row_counter_failed(const struct row *row)
{
    return row->taken.unread && row->taken.unread * 8ull >= row->taken.blocks;
}

#endif
