/* A run under way: what bench/run.c and the units beside it work on. */
#ifndef BENCH_RUN_STATE_H
#define BENCH_RUN_STATE_H

#include "bench/cores/plan.h"
#include "bench/progress.h"
#include "bench/essence/essence_take.h"
#include "bench/show/grouped.h"

/* One run: its plan, its rows, and how far it is. */
struct run {
    struct plan *plan;
    struct report *report;
    struct essence *essence;
    struct grouped *grouped;
    const struct engine *first; /* of the plan's first core, which speaks for all */
    const struct bench *const *rows;
    size_t n;                 /* rows of the registry, of which */
    size_t selected;          /* this number is run */
    size_t at;                /* the one that runs, ... */
    uint64_t row_began, told; /* ... since when, and the ticks of it that showing it took, ... */
    unsigned cores_done;      /* ... and on how many cores, one by one, it is done */
    size_t passed;            /* rows that this round is done with */
    size_t measured;          /* rows that have figures, or a fault or a failed check */
    char not_measured[200];   /* the first row that has none, and why; "": each has */
    const char *suite;        /* whose rows are shown; ... */
    bool headed;              /* ... and its heading stands above them */
    struct progress progress;
};

/* Rows are shown in it, as they come to their ends. */
static inline bool run_is_last_round(const struct run *run)
{
    return run->plan->round + 1 == run->plan->rounds;
}

#endif
