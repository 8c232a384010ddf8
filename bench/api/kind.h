/*
 * A kind of measurement: what its rows have in common. A row points to its kind (`kind` in
 * bench/api/bench.h); bench/kinds/kinds.h lists all of them. One loop, in bench/run/run.c,
 * measures and shows rows of every kind; what else depends on the kind, a member here says.
 */
#ifndef BENCH_API_KIND_H
#define BENCH_API_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bench;
struct engine;
struct loop_steps; /* bench/engine/loop.h */
struct options;
struct outcome; /* bench/result/outcome.h: every result begins with one */
struct plan;    /* bench/engine/plan.h */

/* What options affect the rows, for the warning about options that affect none. */
enum kind_options { OPTIONS_WINDOWS, OPTIONS_WATCH, OPTIONS_FORMS, OPTIONS_CURVES, OPTIONS_NONE };

struct kind {
    const char *name; /* in reports: `form` of a row, or the type of the kind's record */
    /* The boot core leads all cores at once. Otherwise each core measures in turn. */
    bool conducted;
    bool needs_two;  /* one core alone does not measure it */
    bool timed;      /* its rows take a known time, one after another */
    bool needs_area; /* a large area of memory (platform.h); if conducted, for all cores */
    /* The default of cores= in a run whose rows are all of such kinds; NULL: as in other runs. */
    const char *cores;
    enum kind_options options;
    /* The heading of its suite in the table; if it begins with a blank, the unit of an operation is
     * written before it. NULL: a function writes it (views[] in bench/run/run_show.c). */
    const char *heading;
    const char *no_body; /* why there is no body to trace: "it measures ..." */
    /* Of a kind that loop_measure() measures, which fills a struct series: */
    const struct loop_steps *steps;
    const char *point; /* the word for a point: "size", "stride" */
    bool is_curve;     /* `of` of its rows is a struct bench_curve */
    bool has_limits;   /* it is a struct bench_limit, and the steps are the result */
    /* What a report has of a row that the user stopped: "its gaps so far"; NULL: nothing. */
    const char *so_far;
    /* Returns the bytes of the memory of a plan that rows of this kind use, with `all` cores. */
    size_t (*memory)(const struct options *o, unsigned all);
    /* Returns how many pairs of n cores a row's record has, at most. NULL: none. */
    size_t (*pairs)(unsigned n);
    /* Returns the milliseconds that a row may take on a core; NULL: `guess` guesses the ticks of a
     * row on one core, or, if conducted, on all. */
    unsigned (*ms)(const struct bench *b);
    double (*guess)(const struct engine *e, const struct bench *b);
    /* Returns the result without figures, which is shown before the row is measured; NULL: the core
     * is gone. A kind without such a result has no such function. */
    const struct outcome *(*begin)(struct plan *plan, const struct bench *b, unsigned k);
    /* Measures the row on the plan's k-th core; if conducted, on all cores. Returns the result,
     * which is valid until the next row; NULL: there is nothing to show, because the core is gone
     * or the run was stopped. */
    const struct outcome *(*measure)(struct plan *plan, const struct bench *b, unsigned k);
};

#endif
